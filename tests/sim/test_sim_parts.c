/* SPDX-License-Identifier: MIT */
/* Random numbers, the clock, options, the fingerprint, and what a channel may hear. */
#include "core/base/error.h"
#include "sim/channel_order.h"
#include "sim/clock.h"
#include "sim/fingerprint.h"
#include "sim/sim_options.h"
#include "sim/sim_random.h"

static void
test_random_is_by_counting (void)
{
  SimStream a = sim_stream (1, 2, SIM_PURPOSE_WORKLOAD);
  SimStream b = sim_stream (1, 2, SIM_PURPOSE_WORKLOAD);
  SimStream others[] = {
    sim_stream (2, 2, SIM_PURPOSE_WORKLOAD),
    sim_stream (1, 3, SIM_PURPOSE_WORKLOAD),
    sim_stream (1, 2, SIM_PURPOSE_LINK),
  };
  guint64 first = sim_stream_u64 (&a);

  for (guint i = 0; i < G_N_ELEMENTS (others); i++)
    g_assert_cmpuint (sim_stream_u64 (&others[i]), !=, first);
  g_assert_cmpuint (sim_stream_u64 (&b), ==, first);
  g_assert_cmpuint (sim_stream_u64 (&a), ==, sim_stream_u64 (&b));
  b.index = 0;
  g_assert_cmpuint (sim_stream_u64 (&b), ==, first);
}

static void
test_random_keeps_its_bounds (void)
{
  SimStream stream = sim_stream (7, 0, SIM_PURPOSE_FAULT);
  guint seen[5] = { 0 };
  guint n_true = 0;

  for (guint i = 0; i < 10000; i++)
    {
      seen[sim_stream_between (&stream, -2, 2) + 2]++;
      n_true += sim_stream_chance (&stream, 1, 4);
    }
  for (guint i = 0; i < G_N_ELEMENTS (seen); i++)
    g_assert_cmpuint (seen[i], >, 1700);
  g_assert_cmpuint (n_true, >, 2200);
  g_assert_cmpuint (n_true, <, 2800);
}

/* One number that is the same on every machine: the fingerprint of every seed hangs on it. */
static void
test_random_is_the_same_everywhere (void)
{
  SimStream stream = sim_stream (1, 0, SIM_PURPOSE_SHAPE);

  g_assert_cmphex (sim_stream_u64 (&stream), ==, G_GUINT64_CONSTANT (0xf65c3c94822567d9));
}

static void
test_clock_breaks_ties_by_kind_owner_and_sequence (void)
{
  static const struct
  {
    gint64 time_us;
    ClockKind kind;
    guint owner;
    guint value;
  } given[] = {
    { 20, CLOCK_CLIENT, 0, 6 },    { 10, CLOCK_CLIENT, 1, 4 }, { 10, CLOCK_CLIENT, 1, 5 },
    { 10, CLOCK_TO_MEMBER, 9, 2 }, { 10, CLOCK_CLIENT, 0, 3 }, { 10, CLOCK_START, 0, 1 },
    { 5, CLOCK_CLIENT, 7, 0 },
  };
  Clock *clock = clock_new ();

  g_assert_cmpint (clock_next_us (clock), ==, G_MAXINT64);
  for (guint i = 0; i < G_N_ELEMENTS (given); i++)
    clock_at (clock, given[i].time_us, given[i].kind, given[i].owner,
              GUINT_TO_POINTER (given[i].value));
  for (guint i = 0; i < G_N_ELEMENTS (given); i++)
    {
      gint64 next_us = clock_next_us (clock);
      ClockEvent event = clock_take (clock);

      g_assert_cmpint (event.time_us, ==, next_us);
      g_assert_cmpuint (GPOINTER_TO_UINT (event.value), ==, i);
    }
  clock_free (clock, NULL);
}

static void
test_fingerprint_tells_order_and_value (void)
{
  static const guint64 histories[][3] = { { 1, 2, 3 }, { 1, 3, 2 }, { 1, 2, 4 }, { 0, 2, 3 } };
  Fingerprint prints[G_N_ELEMENTS (histories)] = { { { { 0, 0 } } } };

  for (guint i = 0; i < G_N_ELEMENTS (histories); i++)
    {
      for (guint j = 0; j < 3; j++)
        fingerprint_add (&prints[i], INGREDIENT_ORDER, histories[i][j]);
      for (guint j = 0; j < i; j++)
        {
          g_assert_cmphex (prints[i].of[INGREDIENT_ORDER].a, !=, prints[j].of[INGREDIENT_ORDER].a);
          g_assert_cmphex (prints[i].of[INGREDIENT_ORDER].b, !=, prints[j].of[INGREDIENT_ORDER].b);
        }
    }
}

static void
test_fingerprint_keeps_ingredients_apart (void)
{
  Fingerprint none = { 0 }, one = { 0 }, other = { 0 };
  char one_text[FINGERPRINT_TEXT_SIZE], other_text[FINGERPRINT_TEXT_SIZE];

  fingerprint_add (&one, INGREDIENT_VIEWS, 1);
  fingerprint_add_bytes (&other, INGREDIENT_CLIENTS, "1", 1);
  for (guint i = 0; i < N_INGREDIENTS; i++)
    {
      g_assert_true ((one.of[i].a == none.of[i].a) == (i != INGREDIENT_VIEWS));
      g_assert_true ((other.of[i].a == none.of[i].a) == (i != INGREDIENT_CLIENTS));
    }
  g_assert_false (fingerprint_equal (&one, &other));
  g_assert_cmpstr (fingerprint_text (&one, one_text), !=, fingerprint_text (&other, other_text));
}

/* --- options -------------------------------------------------------------------------------- */

static gboolean
parse (const char *line, SimOptions *options, GError **error)
{
  g_auto (GStrv) words = g_strsplit (line, " ", -1);
  Arguments arguments = { (int) g_strv_length (words), words };

  *options = sim_options_default ();
  while (arguments.left > 0)
    if (!sim_options_take (options, &arguments, arguments_next (&arguments), error))
      return FALSE;
  return sim_options_check (options, error);
}

static void
test_options_are_taken (void)
{
  SimOptions options;
  g_autofree char *command = NULL;

  g_assert_true (parse ("--members 200 --seed 18446744073709551615 --messages 5 --clients 3 "
                        "--duration 7ms --crashes 2 --limits none --allow-total-loss",
                        &options, NULL));
  g_assert_cmpuint (options.members, ==, 200);
  g_assert_cmpuint (options.seed, ==, G_MAXUINT64);
  g_assert_cmpuint (options.messages, ==, 5);
  g_assert_cmpuint (options.clients, ==, 3);
  g_assert_cmpint (options.duration_us, ==, 7000);
  g_assert_cmpuint (options.crashes, ==, 2);
  g_assert_true (options.limits_none && options.allow_total_loss);
  command = sim_options_command (&options);
  g_assert_cmpstr (command, ==,
                   "consort-sim run --members 200 --seed 18446744073709551615 --duration 7ms "
                   "--limits none --messages 5 --clients 3 --crashes 2 --allow-total-loss");
}

static void
test_mistakes_are_told (void)
{
  static const struct
  {
    const char *line;
    const char *says;
  } mistakes[] = {
    { "--members 0", "--members needs a number from 1 to 2000, not '0'" },
    { "--members three", "--members needs a number from 1 to 2000, not 'three'" },
    { "--members", "--members needs a number" },
    { "--members 129", "members 129 is more than corosync's 128: say limits none" },
    { "--seed -1", "--seed needs a number from 0" },
    { "--clients 1", "--clients needs a number from 2" },
    { "--limits some", "--limits needs 'corosync' or 'none', not 'some'" },
  };

  for (guint i = 0; i < G_N_ELEMENTS (mistakes); i++)
    {
      SimOptions options;
      g_autoptr (GError) error = NULL;

      g_assert_false (parse (mistakes[i].line, &options, &error));
      g_assert_error (error, SYSTEM_ERROR, SYSTEM_ERROR_SETTING);
      g_test_message ("%s: %s", mistakes[i].line, error->message);
      g_assert_nonnull (strstr (error->message, mistakes[i].says));
    }
}

static void
test_other_options_are_left (void)
{
  SimOptions options;
  g_autoptr (GError) error = NULL;

  g_assert_false (parse ("--trace -", &options, &error));
  g_assert_no_error (error);
}

/* A letter each: O open, K open-ok, C close, k close-ok, a basic.ack; `>` sends it, `<` hears it.
 */
typedef struct ChannelCase
{
  const char *name;
  const char *says;
  gboolean last_is_in_order;
} ChannelCase;

static const ChannelCase channel_cases[] = {
  { "a-confirm-comes-while-it-is-open", ">O<K<a", TRUE },
  { "nothing-comes-before-open-ok", ">O<a", FALSE },
  { "nothing-comes-behind-the-brokers-close", ">O<K<C<a", FALSE },
  { "nothing-comes-behind-close-ok", ">O<K>C<k<a", FALSE },
  { "nothing-of-a-former-life-comes-in-the-next", ">O<K<C>k>O<a", FALSE },
  { "what-was-under-way-comes-before-close-ok", ">O<K>C<a<k", TRUE },
  { "both-may-close-at-once", ">O<K>C<C>k<k", TRUE },
  { "close-ok-is-for-who-asked", ">O<K<k", FALSE },
  { "close-comes-once", ">O<K<C<C", FALSE },
  { "an-open-may-be-refused", ">O<C", TRUE },
  { "another-life-is-as-the-first", ">O<K<C>k>O<K<a", TRUE },
};

static MethodId
method_of_letter (char letter)
{
  switch (letter)
    {
    case 'O':
      return METHOD_CHANNEL_OPEN;
    case 'K':
      return METHOD_CHANNEL_OPEN_OK;
    case 'C':
      return METHOD_CHANNEL_CLOSE;
    case 'k':
      return METHOD_CHANNEL_CLOSE_OK;
    case 'a':
      return METHOD_BASIC_ACK;
    }
  g_assert_not_reached ();
}

static void
test_channel_order (gconstpointer data)
{
  const ChannelCase *each = data;
  ChannelOrder order = { 0 };
  gboolean in_order = TRUE;

  for (const char *at = each->says; *at != '\0'; at += 2)
    {
      g_assert_true (in_order);
      if (at[0] == '>')
        channel_order_sent (&order, method_of_letter (at[1]));
      else
        in_order = channel_order_heard (&order, method_of_letter (at[1]));
    }
  g_assert_cmpint (in_order, ==, each->last_is_in_order);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/sim/random/is-by-counting", test_random_is_by_counting);
  g_test_add_func ("/sim/random/keeps-its-bounds", test_random_keeps_its_bounds);
  g_test_add_func ("/sim/random/is-the-same-everywhere", test_random_is_the_same_everywhere);
  g_test_add_func ("/sim/clock/breaks-ties-by-kind-owner-and-sequence",
                   test_clock_breaks_ties_by_kind_owner_and_sequence);
  g_test_add_func ("/sim/fingerprint/tells-order-and-value",
                   test_fingerprint_tells_order_and_value);
  g_test_add_func ("/sim/fingerprint/keeps-ingredients-apart",
                   test_fingerprint_keeps_ingredients_apart);
  g_test_add_func ("/sim/options/are-taken", test_options_are_taken);
  g_test_add_func ("/sim/options/mistakes-are-told", test_mistakes_are_told);
  g_test_add_func ("/sim/options/others-are-left", test_other_options_are_left);
  for (guint i = 0; i < G_N_ELEMENTS (channel_cases); i++)
    {
      g_autofree char *path = g_strconcat ("/sim/channel/", channel_cases[i].name, NULL);

      g_test_add_data_func (path, &channel_cases[i], test_channel_order);
    }
  return g_test_run ();
}

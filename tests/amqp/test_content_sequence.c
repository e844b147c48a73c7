/* SPDX-License-Identifier: MIT */
/* Scripts of frames on one channel, and the reply code of the last of them. */
#include "core/amqp/content_sequence.h"
#include "core/base/error.h"
#include "core/base/limits.h"

typedef struct Step
{
  enum
  {
    END,
    METHOD,
    HEADER,
    BODY
  } kind;
  guint64 value; /* MethodId, body size, or length */
} Step;

typedef struct Row
{
  const char *claim;
  Step steps[6];
  ReplyCode code; /* of the last step; REPLY_SUCCESS: taken, and the content is complete */
} Row;

static const Row rows[] = {
  { "takes-methods-without-content",
    { { METHOD, METHOD_BASIC_ACK }, { METHOD, METHOD_TX_SELECT } },
    REPLY_SUCCESS },
  { "takes-content",
    { { METHOD, METHOD_BASIC_PUBLISH }, { HEADER, 10 }, { BODY, 7 }, { BODY, 3 } },
    REPLY_SUCCESS },
  { "takes-empty-content",
    { { METHOD, METHOD_BASIC_PUBLISH },
      { HEADER, 0 },
      { METHOD, METHOD_BASIC_PUBLISH },
      { HEADER, 0 } },
    REPLY_SUCCESS },
  { "takes-the-largest-content",
    { { METHOD, METHOD_BASIC_PUBLISH },
      { HEADER, LIMIT_MESSAGE_SIZE },
      { BODY, LIMIT_MESSAGE_SIZE } },
    REPLY_SUCCESS },
  { "refuses-a-method-before-the-header",
    { { METHOD, METHOD_BASIC_PUBLISH }, { METHOD, METHOD_BASIC_ACK } },
    REPLY_UNEXPECTED_FRAME },
  { "refuses-a-method-before-the-last-body",
    { { METHOD, METHOD_BASIC_PUBLISH }, { HEADER, 10 }, { BODY, 9 }, { METHOD, METHOD_BASIC_ACK } },
    REPLY_UNEXPECTED_FRAME },
  { "refuses-a-header-without-a-method", { { HEADER, 10 } }, REPLY_UNEXPECTED_FRAME },
  { "refuses-a-header-after-a-method-without-content",
    { { METHOD, METHOD_BASIC_ACK }, { HEADER, 10 } },
    REPLY_UNEXPECTED_FRAME },
  { "refuses-a-second-header",
    { { METHOD, METHOD_BASIC_PUBLISH }, { HEADER, 10 }, { HEADER, 10 } },
    REPLY_UNEXPECTED_FRAME },
  { "refuses-a-body-without-a-header",
    { { METHOD, METHOD_BASIC_PUBLISH }, { BODY, 10 } },
    REPLY_UNEXPECTED_FRAME },
  { "refuses-a-body-after-empty-content",
    { { METHOD, METHOD_BASIC_PUBLISH }, { HEADER, 0 }, { BODY, 0 } },
    REPLY_UNEXPECTED_FRAME },
  { "refuses-a-body-after-the-last",
    { { METHOD, METHOD_BASIC_PUBLISH }, { HEADER, 1 }, { BODY, 1 }, { BODY, 1 } },
    REPLY_UNEXPECTED_FRAME },
  { "refuses-more-body-than-announced",
    { { METHOD, METHOD_BASIC_PUBLISH }, { HEADER, 10 }, { BODY, 8 }, { BODY, 3 } },
    REPLY_FRAME_ERROR },
  { "refuses-an-empty-body",
    { { METHOD, METHOD_BASIC_PUBLISH }, { HEADER, 10 }, { BODY, 0 } },
    REPLY_FRAME_ERROR },
  { "refuses-a-size-above-the-limit",
    { { METHOD, METHOD_BASIC_PUBLISH }, { HEADER, LIMIT_MESSAGE_SIZE + 1 } },
    REPLY_RESOURCE_ERROR },
  { "refuses-a-size-that-would-wrap",
    { { METHOD, METHOD_BASIC_PUBLISH }, { HEADER, G_MAXUINT64 } },
    REPLY_RESOURCE_ERROR },
};

static gboolean
take_step (ContentSequence *sequence, const Step *step, GError **error)
{
  Method method = { .id = (MethodId) step->value };
  ContentHeader header = { .class_id = 60, .body_size = step->value };

  switch (step->kind)
    {
    case METHOD:
      return content_sequence_method (sequence, PROTOCOL_0_9_1, &method, error);
    case HEADER:
      return content_sequence_header (sequence, &header, error);
    case BODY:
      return content_sequence_body (sequence, (gsize) step->value, error);
    case END:
      break;
    }
  g_assert_not_reached ();
}

static void
test_row (gconstpointer data)
{
  const Row *row = data;
  ContentSequence sequence = { 0 };
  const Step *step = row->steps;
  g_autoptr (GError) error = NULL;

  for (; step[1].kind != END; step++)
    {
      g_assert_true (take_step (&sequence, step, &error));
      g_assert_no_error (error);
    }
  g_assert_cmpint (take_step (&sequence, step, &error), ==, row->code == REPLY_SUCCESS);
  if (row->code == REPLY_SUCCESS)
    g_assert_true (content_sequence_is_complete (&sequence));
  else
    g_assert_error (error, REPLY_ERROR, (int) row->code);
}

static void
test_refuses_another_class (void)
{
  ContentSequence sequence = { 0 };
  Method publish = { .id = METHOD_BASIC_PUBLISH };
  ContentHeader header = { .class_id = 50, .body_size = 1 };
  g_autoptr (GError) error = NULL;

  g_assert_true (content_sequence_method (&sequence, PROTOCOL_0_9_1, &publish, &error));
  g_assert_false (content_sequence_header (&sequence, &header, &error));
  g_assert_error (error, REPLY_ERROR, REPLY_UNEXPECTED_FRAME);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  for (guint i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      g_autofree char *path = g_strdup_printf ("/amqp/content-sequence/%s", rows[i].claim);

      g_test_add_data_func (path, &rows[i], test_row);
    }
  g_test_add_func ("/amqp/content-sequence/refuses-another-class", test_refuses_another_class);
  return g_test_run ();
}

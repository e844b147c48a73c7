/* SPDX-License-Identifier: MIT */
#include "tests/transport/fake_cpg.h"

#include <stdlib.h>
#include <sys/eventfd.h>
#include <unistd.h>

/* The library's names, for the linker only. */
#define LIBRARY(name) __asm__("cpg_" #name)

typedef enum EventKind
{
  EVENT_VIEW,
  EVENT_RING,
  EVENT_MESSAGE
} EventKind;

typedef struct Event
{
  EventKind kind;
  struct cpg_address members[200];
  struct cpg_address left[200];
  struct cpg_address joined[200];
  size_t n_members, n_left, n_joined;
  struct cpg_ring_id ring;
  guint32 node_id, process_id;
  char text[32];
} Event;

typedef struct Handle
{
  cpg_model_v1_data_t model;
  void *context;
  int fd;
  gboolean joined;
  gboolean is_inbox;
  GQueue events; /* of Event */
} Handle;

static struct
{
  GMutex mutex;
  GCond cond;
  GPtrArray *handles; /* of Handle; a cpg_handle_t is an index plus 1 */
  cs_error_t answers[N_FAKE_CALLS];
  FakeCounts counts;
  guint n_members;
  gboolean frozen, dead;
} fake;

static void
lock (void)
{
  g_mutex_lock (&fake.mutex);
}

static cs_error_t
unlock (cs_error_t code)
{
  g_mutex_unlock (&fake.mutex);
  return code;
}

/* With the lock: what a call that asks the daemon begins with. */
static cs_error_t
ask_daemon (void)
{
  while (fake.frozen)
    g_cond_wait (&fake.cond, &fake.mutex);
  return fake.dead ? CS_ERR_LIBRARY : CS_OK;
}

static Handle *
handle_of (cpg_handle_t number)
{
  return fake.handles->pdata[number - 1];
}

/* --- the library ------------------------------------------------------------------------------ */

cs_error_t fake_initialize (cpg_handle_t *number, cpg_model_t model, cpg_model_data_t *data,
                            void *context) LIBRARY (model_initialize);
cs_error_t fake_finalize (cpg_handle_t number) LIBRARY (finalize);
cs_error_t fake_fd_get (cpg_handle_t number, int *fd) LIBRARY (fd_get);
cs_error_t fake_context_get (cpg_handle_t number, void **context) LIBRARY (context_get);
cs_error_t fake_dispatch (cpg_handle_t number, cs_dispatch_flags_t flags) LIBRARY (dispatch);
cs_error_t fake_join (cpg_handle_t number, const struct cpg_name *group) LIBRARY (join);
cs_error_t fake_leave (cpg_handle_t number, const struct cpg_name *group) LIBRARY (leave);
cs_error_t fake_mcast (cpg_handle_t number, cpg_guarantee_t guarantee, const struct iovec *iovec,
                       unsigned int n_iovec) LIBRARY (mcast_joined);
cs_error_t fake_local_get (cpg_handle_t number, unsigned int *node_id) LIBRARY (local_get);
cs_error_t fake_iterate (cpg_handle_t number, cpg_iteration_type_t type,
                         const struct cpg_name *group, cpg_iteration_handle_t *iteration)
    LIBRARY (iteration_initialize);
cs_error_t fake_next (cpg_iteration_handle_t iteration,
                      struct cpg_iteration_description_t *description) LIBRARY (iteration_next);
cs_error_t fake_iterated (cpg_iteration_handle_t iteration) LIBRARY (iteration_finalize);

cs_error_t
fake_initialize (cpg_handle_t *number, cpg_model_t model, cpg_model_data_t *data, void *context)
{
  Handle *handle;
  cs_error_t code;

  g_assert_cmpint (model, ==, CPG_MODEL_V1);
  lock ();
  fake.counts.connects++;
  code = ask_daemon ();
  if (code == CS_OK)
    code = fake.answers[FAKE_CONNECT];
  if (code != CS_OK)
    return unlock (code);
  handle = g_new0 (Handle, 1);
  handle->model = *(const cpg_model_v1_data_t *) (gpointer) data;
  handle->context = context;
  handle->fd = eventfd (0, EFD_CLOEXEC | EFD_NONBLOCK | EFD_SEMAPHORE);
  g_ptr_array_add (fake.handles, handle);
  *number = fake.handles->len;
  return unlock (CS_OK);
}

cs_error_t
fake_finalize (cpg_handle_t number)
{
  Handle *handle;

  lock ();
  ask_daemon ();
  handle = handle_of (number);
  fake.counts.finalizes++;
  g_queue_clear_full (&handle->events, g_free);
  close (handle->fd);
  handle->joined = FALSE;
  return unlock (CS_OK);
}

cs_error_t
fake_fd_get (cpg_handle_t number, int *fd)
{
  lock ();
  *fd = handle_of (number)->fd;
  return unlock (CS_OK);
}

cs_error_t
fake_context_get (cpg_handle_t number, void **context)
{
  lock ();
  *context = handle_of (number)->context;
  return unlock (CS_OK);
}

static void
call_back (cpg_handle_t number, const Handle *handle, Event *event)
{
  switch (event->kind)
    {
    case EVENT_VIEW:
      handle->model.cpg_confchg_fn (number, NULL, event->members, event->n_members, event->left,
                                    event->n_left, event->joined, event->n_joined);
      break;
    case EVENT_RING:
      handle->model.cpg_totem_confchg_fn (number, event->ring, 0, NULL);
      break;
    case EVENT_MESSAGE:
      handle->model.cpg_deliver_fn (number, NULL, event->node_id, event->process_id, event->text,
                                    strlen (event->text));
      break;
    }
}

cs_error_t
fake_dispatch (cpg_handle_t number, cs_dispatch_flags_t flags)
{
  Handle *handle;
  g_autofree Event *event = NULL;
  guint64 one;

  g_assert_cmpint (flags, ==, CS_DISPATCH_ONE_NONBLOCKING);
  lock ();
  handle = handle_of (number);
  if (fake.dead)
    return unlock (CS_ERR_LIBRARY);
  event = g_queue_pop_head (&handle->events);
  if (event != NULL)
    g_assert_cmpint (read (handle->fd, &one, sizeof one), ==, sizeof one);
  unlock (CS_OK);
  if (event == NULL)
    return CS_ERR_TRY_AGAIN;
  call_back (number, handle, event);
  return CS_OK;
}

cs_error_t
fake_join (cpg_handle_t number, const struct cpg_name *group)
{
  Handle *handle;
  cs_error_t code;

  lock ();
  code = ask_daemon ();
  handle = handle_of (number);
  handle->is_inbox = memchr (group->value, '/', group->length) != NULL;
  if (code == CS_OK && !handle->is_inbox)
    code = fake.answers[FAKE_JOIN];
  handle->joined = code == CS_OK;
  return unlock (code);
}

cs_error_t
fake_leave (cpg_handle_t number, const struct cpg_name *group)
{
  cs_error_t code;

  (void) group;
  lock ();
  code = ask_daemon ();
  if (!handle_of (number)->is_inbox)
    fake.counts.leaves++;
  return unlock (code);
}

cs_error_t
fake_mcast (cpg_handle_t number, cpg_guarantee_t guarantee, const struct iovec *iovec,
            unsigned int n_iovec)
{
  (void) number;
  (void) iovec;
  g_assert_cmpint (guarantee, ==, CPG_TYPE_AGREED);
  g_assert_cmpuint (n_iovec, ==, 1);
  lock ();
  return unlock (fake.dead ? CS_ERR_LIBRARY : fake.answers[FAKE_MULTICAST]);
}

cs_error_t
fake_local_get (cpg_handle_t number, unsigned int *node_id)
{
  (void) number;
  lock ();
  *node_id = 1;
  return unlock (ask_daemon ());
}

static guint left_to_iterate;

cs_error_t
fake_iterate (cpg_handle_t number, cpg_iteration_type_t type, const struct cpg_name *group,
              cpg_iteration_handle_t *iteration)
{
  (void) number;
  (void) group;
  g_assert_cmpint (type, ==, CPG_ITERATION_ONE_GROUP);
  lock ();
  left_to_iterate = fake.n_members;
  *iteration = 1;
  return unlock (CS_OK);
}

cs_error_t
fake_next (cpg_iteration_handle_t iteration, struct cpg_iteration_description_t *description)
{
  (void) iteration;
  (void) description;
  return left_to_iterate-- > 0 ? CS_OK : CS_ERR_NO_SECTIONS;
}

cs_error_t
fake_iterated (cpg_iteration_handle_t iteration)
{
  (void) iteration;
  return CS_OK;
}

/* --- the test's side -------------------------------------------------------------------------- */

void
fake_reset (void)
{
  lock ();
  if (fake.handles == NULL)
    fake.handles = g_ptr_array_new_with_free_func (g_free);
  g_ptr_array_set_size (fake.handles, 0);
  for (guint i = 0; i < N_FAKE_CALLS; i++)
    fake.answers[i] = CS_OK;
  fake.counts = (FakeCounts){ 0 };
  fake.n_members = 0;
  fake.frozen = fake.dead = FALSE;
  unlock (CS_OK);
}

void
fake_answer (FakeCall call, cs_error_t code)
{
  lock ();
  fake.answers[call] = code;
  unlock (CS_OK);
}

void
fake_set_members (guint n_members)
{
  lock ();
  fake.n_members = n_members;
  unlock (CS_OK);
}

void
fake_freeze (void)
{
  lock ();
  fake.frozen = TRUE;
  unlock (CS_OK);
}

void
fake_thaw (void)
{
  lock ();
  fake.frozen = FALSE;
  g_cond_broadcast (&fake.cond);
  unlock (CS_OK);
}

/* With the lock. NULL: none. */
static Handle *
group_handle (void)
{
  for (guint i = fake.handles->len; i-- > 0;)
    {
      Handle *handle = fake.handles->pdata[i];

      if (handle->joined && !handle->is_inbox)
        return handle;
    }
  return NULL;
}

void
fake_die (void)
{
  lock ();
  fake.dead = TRUE;
  for (guint i = 0; i < fake.handles->len; i++)
    {
      const Handle *handle = fake.handles->pdata[i];

      if (handle->joined)
        g_assert_cmpint (write (handle->fd, &(guint64){ 1 }, sizeof (guint64)), >, 0);
    }
  unlock (CS_OK);
}

FakeCounts
fake_counts (void)
{
  FakeCounts counts;

  lock ();
  counts = fake.counts;
  unlock (CS_OK);
  return counts;
}

gboolean
fake_is_joined (void)
{
  gboolean is_joined;

  lock ();
  is_joined = group_handle () != NULL;
  unlock (CS_OK);
  return is_joined;
}

static void
append (const Event *event)
{
  Handle *handle;

  lock ();
  handle = group_handle ();
  g_assert_nonnull (handle);
  g_queue_push_tail (&handle->events, g_memdup2 (event, sizeof *event));
  g_assert_cmpint (write (handle->fd, &(guint64){ 1 }, sizeof (guint64)), >, 0);
  unlock (CS_OK);
}

static size_t
parse (const char *text, guint32 reason, struct cpg_address *list)
{
  g_auto (GStrv) words = g_strsplit (text, " ", 0);
  size_t n = 0;

  for (guint i = 0; words[i] != NULL; i++)
    if (words[i][0] != '\0')
      {
        char *end;

        list[n].nodeid = (guint32) strtoul (words[i], &end, 10);
        list[n].pid = (guint32) strtoul (end + 1, NULL, 10);
        list[n++].reason = reason;
      }
  return n;
}

void
fake_view (const char *members, const char *left, guint32 left_reason, const char *joined,
           guint32 joined_reason)
{
  Event event = { .kind = EVENT_VIEW };

  event.n_members = parse (members, CPG_REASON_UNDEFINED, event.members);
  event.n_left = parse (left, left_reason, event.left);
  event.n_joined = parse (joined, joined_reason, event.joined);
  append (&event);
}

void
fake_ring (guint32 representative, guint64 sequence)
{
  Event event = { .kind = EVENT_RING, .ring = { .nodeid = representative, .seq = sequence } };

  append (&event);
}

void
fake_message (const char *sender, const char *text)
{
  Event event = { .kind = EVENT_MESSAGE };
  struct cpg_address address = { 0 };

  parse (sender, 0, &address);
  event.node_id = address.nodeid;
  event.process_id = address.pid;
  g_strlcpy (event.text, text, sizeof event.text);
  append (&event);
}

const char *
fake_self (void)
{
  static char text[32];

  g_snprintf (text, sizeof text, "1.%d", (int) getpid ());
  return text;
}

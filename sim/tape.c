/* SPDX-License-Identifier: MIT */
#include "sim/tape.h"
#include "core/base/id_map.h"

struct Tape
{
  TapeShelf *shelf;
  const Tape *base; /* NULL: it begins with nothing */
  guint base_length;
  GArray *events; /* of TapeEvent */
};

/* A place of a tape. */
typedef struct Mark
{
  const Tape *tape;
  guint length;
} Mark;

struct TapeShelf
{
  GPtrArray *tapes;
  IdMap *marks; /* {position, digest} of a state that was given -> Mark, owned */
};

static void
event_clear (gpointer data)
{
  TapeEvent *event = data;

  g_clear_pointer (&event->envelope, buffer_unref);
  g_free (event->members);
}

static void
tape_free (gpointer data)
{
  Tape *tape = data;

  g_array_unref (tape->events);
  g_free (tape);
}

TapeShelf *
tape_shelf_new (void)
{
  TapeShelf *shelf = g_new0 (TapeShelf, 1);

  shelf->tapes = g_ptr_array_new_with_free_func (tape_free);
  shelf->marks = id_map_new ();
  return shelf;
}

void
tape_shelf_free (TapeShelf *shelf)
{
  IdMapIter iter = id_map_iter (shelf->marks);
  gpointer mark;

  while (id_map_next (&iter, NULL, &mark))
    g_free (mark);
  id_map_free (shelf->marks);
  g_ptr_array_unref (shelf->tapes);
  g_free (shelf);
}

Tape *
tape_new (TapeShelf *shelf)
{
  Tape *tape = g_new0 (Tape, 1);

  tape->shelf = shelf;
  tape->events = g_array_new (FALSE, FALSE, sizeof (TapeEvent));
  g_array_set_clear_func (tape->events, event_clear);
  g_ptr_array_add (shelf->tapes, tape);
  return tape;
}

void
tape_applied (Tape *tape, MemberId sender, Buffer *envelope, guint64 position)
{
  const TapeEvent event = {
    .kind = TAPE_APPLIED, .position = position, .sender = sender, .envelope = buffer_ref (envelope)
  };

  g_array_append_val (tape->events, event);
}

void
tape_members_lost (Tape *tape, const MemberId *members, guint n_members, guint64 position)
{
  const TapeEvent event = { .kind = TAPE_MEMBERS_LOST,
                            .position = position,
                            .members = g_memdup2 (members, n_members * sizeof (MemberId)),
                            .n_members = n_members };

  g_array_append_val (tape->events, event);
}

void
tape_formed (Tape *tape, guint64 position)
{
  const TapeEvent event = { .kind = TAPE_FORMED, .position = position };

  g_array_append_val (tape->events, event);
}

void
tape_saved (Tape *tape, guint64 position, guint64 digest)
{
  const IdKey key = { position, digest };
  Mark *mark = id_map_lookup (tape->shelf->marks, key);

  if (mark != NULL) /* the same state */
    return;
  mark = g_new (Mark, 1);
  *mark = (Mark){ tape, tape->events->len };
  id_map_insert (tape->shelf->marks, key, mark);
}

Tape *
tape_new_from (TapeShelf *shelf, guint64 position, guint64 digest)
{
  const Mark *mark = id_map_lookup (shelf->marks, (IdKey){ position, digest });
  Tape *tape;

  if (mark == NULL)
    return NULL;
  tape = tape_new (shelf);
  tape->base = mark->tape;
  tape->base_length = mark->length;
  return tape;
}

static void
play (const Tape *tape, guint length, TapeFunc func, gpointer user_data)
{
  if (tape->base != NULL)
    play (tape->base, tape->base_length, func, user_data);
  for (guint i = 0; i < length; i++)
    func (&g_array_index (tape->events, TapeEvent, i), user_data);
}

void
tape_for_each (const Tape *tape, TapeFunc func, gpointer user_data)
{
  play (tape, tape->events->len, func, user_data);
}

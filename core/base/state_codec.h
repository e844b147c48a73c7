/* SPDX-License-Identifier: MIT */
/* The replicated state as bytes, and back: one description for both directions.
 *
 * A part of the state is described once, by a function that visits its fields in order:
 *
 *     static gboolean
 *     binding_state (StateCodec *codec, Binding *binding)
 *     {
 *       state_text (codec, &binding->routing_key);
 *       state_u64 (codec, &binding->order);
 *       return state_is_good (codec);
 *     }
 *
 * A codec that writes reads the fields; a codec that reads fills them. So a field that is
 * described is both given and taken, and the two can never disagree. Collections go as a count
 * (state_count) and then the elements; after state_count a reader makes the elements, a writer
 * walks them.
 *
 * Shared objects (a message in three queues) go once: state_shared.
 *
 * Untrusted as any peer's bytes are: a reader that fails stays failed, fields then hold zero or
 * NULL, and counts are never larger than the bytes that are left. */
#pragma once

#include "core/base/byte_reader.h"
#include "core/base/byte_writer.h"
#include "core/base/ids.h"

typedef struct StateCodec StateCodec;

StateCodec *state_codec_new_writer (void);
/* Borrows the bytes until the codec is freed. */
StateCodec *state_codec_new_reader (Slice bytes);
void state_codec_free (StateCodec *codec);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (StateCodec, state_codec_free)
/* What a writer wrote, yours; the writer can only be freed then. */
Buffer *state_codec_finish (StateCodec *codec);

/* A large state goes in parts, each of which holds whole fields: so it is written and read bit by
 * bit, and never there as bytes as a whole. */
/* What a writer has written since the former part, yours. */
Buffer *state_codec_take_part (StateCodec *codec);
/* A reader's next part, borrowed until the one after; the former one was read to its end. */
void state_codec_give_part (StateCodec *codec, Slice bytes);
/* A writer's part is smaller than `size`; a reader's is good and was not read to its end. */
gboolean state_part_goes_on (const StateCodec *codec, gsize size);

gboolean state_is_reading (const StateCodec *codec);
/* FALSE once a reader met bytes that are not a state. Always TRUE for a writer. */
gboolean state_is_good (const StateCodec *codec);
/* Good, and every byte was read. */
gboolean state_is_complete (const StateCodec *codec);
/* For a description that finds a value impossible. */
void state_fail (StateCodec *codec);

void state_u8 (StateCodec *codec, guint8 *value);
void state_u16 (StateCodec *codec, guint16 *value);
void state_u32 (StateCodec *codec, guint32 *value);
void state_u64 (StateCodec *codec, guint64 *value);
void state_i64 (StateCodec *codec, gint64 *value);
void state_boolean (StateCodec *codec, gboolean *value);
/* A NUL-terminated text, NULL allowed; a reader makes a new one, yours. */
void state_text (StateCodec *codec, char **value);
/* A reader makes a held slice (slice_hold), yours. */
void state_slice (StateCodec *codec, Slice *value);
void state_connection_id (StateCodec *codec, ConnectionId *value);
void state_session_id (StateCodec *codec, SessionId *value);
void state_member_id (StateCodec *codec, MemberId *value);

/* How many elements follow: a writer gives it, a reader gets it; 0 when failed. */
guint state_count (StateCodec *codec, guint count);

/* A checkpoint: writes `word`, and a reader fails where it does not find the same. */
void state_mark (StateCodec *codec, guint32 word);

/* A writer's: bytes that another writer wrote, in which nothing is shared. */
void state_written (StateCodec *codec, Slice bytes);

/* An object that several owners share, seen under its address by a writer and under a number by
 * a reader. TRUE: it is new, and its fields follow here (a reader makes the object and then
 * calls state_shared_made with it). FALSE: it went before, and *object is it; or the codec failed,
 * and *object is NULL. `alone`, a writer's: it has one owner only, will not come again, and needs
 * no number. What has a number must live as long as the writer. */
gboolean state_shared (StateCodec *codec, gpointer *object, gboolean alone);
void state_shared_made (StateCodec *codec, gpointer object);

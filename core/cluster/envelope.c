/* SPDX-License-Identifier: MIT */
#include "core/cluster/envelope_frames.h"
#include "core/amqp/field_table.h"
#include "core/base/digest.h"
#include "core/base/limits.h"

#define ENVELOPE_MAGIC  0x434f4e53 /* "CONS" */
#define CHECKSUM_OFFSET (ENVELOPE_HEADER_SIZE - 8)

static const char *const kind_names[N_ENVELOPE_KINDS] = {
  [ENVELOPE_ORDERED] = "ordered",
  [ENVELOPE_HELLO] = "hello",
  [ENVELOPE_ENTER] = "enter",
  [ENVELOPE_DONE] = "done",
  [ENVELOPE_JOIN_REQUEST] = "join-request",
  [ENVELOPE_STATE] = "state",
  [ENVELOPE_REPORT] = "report",
  [ENVELOPE_FORM] = "form",
  [ENVELOPE_ACCEPT] = "accept",
  [ENVELOPE_REFUSAL] = "refusal",
  [ENVELOPE_FORGET] = "forget",
  [ENVELOPE_BEHIND] = "behind",
};

const char *
envelope_kind_name (EnvelopeKind kind)
{
  return kind_names[kind];
}

gboolean
epoch_equal (Epoch a, Epoch b)
{
  return a.number == b.number && a.id == b.id;
}

/* Over everything but the checksum itself. */
static guint64
checksum (const Buffer *bytes)
{
  guint64 digest = digest_bytes (0, bytes->bytes, CHECKSUM_OFFSET);

  return digest_bytes (digest, bytes->bytes + ENVELOPE_HEADER_SIZE,
                       bytes->size - ENVELOPE_HEADER_SIZE);
}

/* --- the header ------------------------------------------------------------------------------ */

static void
write_header (ByteWriter *writer, const EnvelopeHeader *header)
{
  byte_writer_u32 (writer, ENVELOPE_MAGIC);
  byte_writer_u8 (writer, ENVELOPE_VERSION);
  byte_writer_u8 (writer, ENVELOPE_VERSION); /* the lowest that the sender reads */
  byte_writer_u8 (writer, (guint8) header->kind);
  byte_writer_u8 (writer, header->blank ? 1 : 0);
  byte_writer_u64 (writer, header->cluster_id);
  byte_writer_u64 (writer, header->incarnation);
  byte_writer_u64 (writer, header->epoch.number);
  byte_writer_u64 (writer, header->epoch.id);
  byte_writer_u64 (writer, header->sequence);
  byte_writer_u64 (writer, header->key_number);
  byte_writer_u64 (writer, header->key_position);
  byte_writer_u64 (writer, (guint64) header->claim);
  byte_writer_u64 (writer, header->promise.number);
  byte_writer_u64 (writer, header->promise.id);
  byte_writer_u64 (writer, header->position);
  byte_writer_u64 (writer, header->view);
  byte_writer_u64 (writer, header->elapsed_us);
  byte_writer_u64 (writer, 0); /* room for what is to come; must be zero */
  byte_writer_u64 (writer, 0); /* the checksum's place */
}

static gboolean
read_version (ByteReader *reader, GError **error)
{
  guint32 magic = byte_reader_u32 (reader);
  guint8 version = byte_reader_u8 (reader);
  guint8 lowest = byte_reader_u8 (reader);

  if (reader->failed || magic != ENVELOPE_MAGIC)
    return system_error (error, SYSTEM_ERROR_MALFORMED, "not an envelope");
  if (version > ENVELOPE_VERSION)
    return system_error (error, SYSTEM_ERROR_VERSION,
                         "an envelope of format %u; this member reads up to %u", version,
                         ENVELOPE_VERSION);
  if (version < ENVELOPE_VERSION || lowest > ENVELOPE_VERSION)
    return system_error (error, SYSTEM_ERROR_VERSION, "an envelope of format %u to %u", lowest,
                         version);
  return TRUE;
}

static gboolean
read_header (ByteReader *reader, EnvelopeHeader *header, GError **error)
{
  guint8 kind, blank;
  guint64 reserved;

  if (!read_version (reader, error))
    return FALSE;
  kind = byte_reader_u8 (reader);
  blank = byte_reader_u8 (reader);
  header->kind = (EnvelopeKind) kind;
  header->blank = blank == 1;
  header->cluster_id = byte_reader_u64 (reader);
  header->incarnation = byte_reader_u64 (reader);
  header->epoch.number = byte_reader_u64 (reader);
  header->epoch.id = byte_reader_u64 (reader);
  header->sequence = byte_reader_u64 (reader);
  header->key_number = byte_reader_u64 (reader);
  header->key_position = byte_reader_u64 (reader);
  header->claim = (gint64) byte_reader_u64 (reader);
  header->promise.number = byte_reader_u64 (reader);
  header->promise.id = byte_reader_u64 (reader);
  header->position = byte_reader_u64 (reader);
  header->view = byte_reader_u64 (reader);
  header->elapsed_us = byte_reader_u64 (reader);
  reserved = byte_reader_u64 (reader);
  byte_reader_u64 (reader);
  if (reader->failed || kind >= N_ENVELOPE_KINDS || blank > 1 || reserved != 0
      || header->incarnation == 0)
    return system_error (error, SYSTEM_ERROR_MALFORMED, "an envelope's header is malformed");
  return TRUE;
}

void
envelope_begin (ByteWriter *writer)
{
  g_assert (writer->length == 0);
  memset (byte_writer_extend (writer, ENVELOPE_HEADER_SIZE), 0, ENVELOPE_HEADER_SIZE);
}

void
envelope_seal (Buffer *bytes, const EnvelopeHeader *header)
{
  g_auto (ByteWriter) writer = byte_writer_init ();

  g_assert (bytes->ref_count == 1 && bytes->size >= ENVELOPE_HEADER_SIZE);
  write_header (&writer, header);
  g_assert (writer.length == ENVELOPE_HEADER_SIZE);
  byte_writer_patch_u64 (&writer, CHECKSUM_OFFSET, 0);
  memcpy (bytes->bytes, writer.buffer->bytes, ENVELOPE_HEADER_SIZE);
  byte_writer_patch_u64 (&writer, CHECKSUM_OFFSET, checksum (bytes));
  memcpy (bytes->bytes, writer.buffer->bytes, ENVELOPE_HEADER_SIZE);
}

Buffer *
envelope_restamp (const Buffer *bytes, const EnvelopeHeader *header)
{
  Buffer *copy = buffer_new_copy (bytes->bytes, bytes->size);

  envelope_seal (copy, header);
  return copy;
}

/* --- entries: reading --------------------------------------------------------------------------
 */

static ConnectionId
read_connection_id (ByteReader *reader)
{
  ConnectionId id = { .incarnation = byte_reader_u64 (reader) };

  id.counter = byte_reader_u64 (reader);
  return id;
}

static SessionId
read_session_id (ByteReader *reader)
{
  SessionId id = { .incarnation = byte_reader_u64 (reader) };

  id.counter = byte_reader_u64 (reader);
  return id;
}

/* Names become texts: no NUL in them. */
static gboolean
is_text (Slice slice)
{
  return slice.length == 0 || memchr (slice.bytes, '\0', slice.length) == NULL;
}

static gboolean
read_opening (ByteReader *reader, ConnectionOpening *opening)
{
  guint8 version = byte_reader_u8 (reader);

  opening->version = (ProtocolVersion) version;
  opening->vhost = byte_reader_short_string (reader);
  opening->user = byte_reader_long_string (reader);
  opening->peer = byte_reader_short_string (reader);
  opening->channel_max = byte_reader_u16 (reader);
  opening->frame_max = byte_reader_u32 (reader);
  opening->heartbeat_seconds = byte_reader_u16 (reader);
  opening->client_properties = byte_reader_long_string (reader);
  return byte_reader_is_complete (reader) && version < N_PROTOCOL_VERSIONS
         && is_text (opening->vhost) && is_text (opening->user) && is_text (opening->peer)
         && opening->frame_max >= LIMIT_FRAME_MIN && opening->frame_max <= LIMIT_FRAME_MAX
         && field_table_check (opening->client_properties, NULL);
}

static gboolean
read_failure (ByteReader *reader, Entry *entry)
{
  entry->failure.code = byte_reader_u16 (reader);
  entry->failure.class_id = byte_reader_u16 (reader);
  entry->failure.method_id = byte_reader_u16 (reader);
  entry->failure.text = byte_reader_short_string (reader);
  return byte_reader_is_complete (reader) && is_text (entry->failure.text)
         && reply_code_name (entry->failure.code) != NULL;
}

static gboolean
read_session_opened (ByteReader *reader, SessionOpening *session)
{
  session->id = read_session_id (reader);
  session->channel = byte_reader_u16 (reader);
  session->secret[0] = byte_reader_u64 (reader);
  session->secret[1] = byte_reader_u64 (reader);
  session->name_seed = byte_reader_u64 (reader);
  return byte_reader_is_complete (reader) && !session_id_is_none (session->id);
}

static gboolean
read_frames (Envelope *envelope, ByteReader *reader, Entry *entry)
{
  guint8 version;

  entry->session_id = read_session_id (reader);
  version = byte_reader_u8 (reader);
  if (reader->failed || version >= N_PROTOCOL_VERSIONS)
    return FALSE;
  entry->frames.first = envelope->frames->len;
  if (!envelope_read_frames (envelope, (ProtocolVersion) version, reader))
    return FALSE;
  entry->frames.count = envelope->frames->len - entry->frames.first;
  return TRUE;
}

static gboolean
read_entry_body (Envelope *envelope, ByteReader *reader, Entry *entry)
{
  if (entry->type == ENTRY_FRAMES)
    return read_frames (envelope, reader, entry);
  entry->connection_id = read_connection_id (reader);
  if (reader->failed || connection_id_is_none (entry->connection_id))
    return FALSE;
  switch (entry->type)
    {
    case ENTRY_CONNECTION_OPENED:
      entry->opening.id = entry->connection_id;
      return read_opening (reader, &entry->opening);
    case ENTRY_CONNECTION_CLOSED:
    case ENTRY_CONNECTION_LOST:
      return byte_reader_is_complete (reader);
    case ENTRY_CONNECTION_FAILED:
      return read_failure (reader, entry);
    case ENTRY_SESSION_OPENED:
      return read_session_opened (reader, &entry->session);
    case ENTRY_CREDIT:
      entry->credit = byte_reader_u32 (reader);
      return byte_reader_is_complete (reader);
    case ENTRY_FRAMES:
      break;
    }
  return FALSE;
}

static gboolean
read_entries (Envelope *envelope, ByteReader *reader, GError **error)
{
  while (byte_reader_left (reader) > 0)
    {
      Entry entry = { .type = (EntryType) byte_reader_u8 (reader) };
      ByteReader body = byte_reader_init (byte_reader_long_string (reader));

      if (reader->failed || !read_entry_body (envelope, &body, &entry))
        return system_error (error, SYSTEM_ERROR_MALFORMED, "entry %u, of type %d, is malformed",
                             envelope->entries->len, (int) entry.type);
      g_array_append_val (envelope->entries, entry);
    }
  return TRUE;
}

static gboolean
read_cut (Envelope *envelope, ByteReader *reader, GError **error)
{
  guint32 end = CHUNK_ENDS_NOTHING;

  envelope->cut.incarnation = byte_reader_u64 (reader);
  envelope->cut.number = byte_reader_u64 (reader);
  if (envelope->header.kind == ENVELOPE_STATE)
    {
      envelope->chunk.number = byte_reader_u32 (reader);
      end = byte_reader_u32 (reader);
      envelope->chunk.end = (ChunkEnd) end;
      envelope->chunk.bytes = byte_reader_slice (reader, byte_reader_left (reader));
    }
  if (!byte_reader_is_complete (reader) || end > CHUNK_ENDS_STATE)
    return system_error (error, SYSTEM_ERROR_MALFORMED, "a %s envelope is malformed",
                         envelope_kind_name (envelope->header.kind));
  return TRUE;
}

static gboolean
read_refusal (Envelope *envelope, ByteReader *reader)
{
  envelope->cut.incarnation = byte_reader_u64 (reader);
  envelope->cut.number = byte_reader_u64 (reader);
  envelope->refusal = byte_reader_slice (reader, byte_reader_left (reader));
  return byte_reader_is_complete (reader) && envelope->refusal.length > 0
         && envelope->refusal.length <= LIMIT_REFUSAL && is_text (envelope->refusal);
}

static gboolean
read_vote (Envelope *envelope, ByteReader *reader, GError **error)
{
  guint8 all_present;

  envelope->vote.epoch.number = byte_reader_u64 (reader);
  envelope->vote.epoch.id = byte_reader_u64 (reader);
  all_present = byte_reader_u8 (reader);
  envelope->vote.all_present = all_present == 1;
  if (!byte_reader_is_complete (reader) || all_present > 1)
    return system_error (error, SYSTEM_ERROR_MALFORMED, "a %s envelope is malformed",
                         envelope_kind_name (envelope->header.kind));
  return TRUE;
}

static gboolean
read_body (Envelope *envelope, ByteReader *reader, GError **error)
{
  switch (envelope->header.kind)
    {
    case ENVELOPE_ORDERED:
      return read_entries (envelope, reader, error);
    case ENVELOPE_JOIN_REQUEST:
    case ENVELOPE_DONE:
    case ENVELOPE_STATE:
      return read_cut (envelope, reader, error);
    case ENVELOPE_REFUSAL:
      if (read_refusal (envelope, reader))
        return TRUE;
      break;
    case ENVELOPE_FORGET:
      envelope->forgotten = byte_reader_u32 (reader);
      if (byte_reader_is_complete (reader))
        return TRUE;
      break;
    case ENVELOPE_FORM:
    case ENVELOPE_ACCEPT:
      return read_vote (envelope, reader, error);
    case ENVELOPE_HELLO:
    case ENVELOPE_ENTER:
    case ENVELOPE_REPORT:
    case ENVELOPE_BEHIND:
      if (byte_reader_is_complete (reader))
        return TRUE;
      break;
    case N_ENVELOPE_KINDS:
      break;
    }
  return system_error (error, SYSTEM_ERROR_MALFORMED, "an envelope with bytes left over");
}

/* Most have a few entries, or are of a kind that has none. */
#define USUAL_ENTRIES 2
#define USUAL_FRAMES  4

static void
prepare_lists (Envelope *envelope)
{
  gboolean has_entries = envelope->header.kind == ENVELOPE_ORDERED;
  guint n_entries = has_entries ? USUAL_ENTRIES : 0, n_frames = has_entries ? USUAL_FRAMES : 0;

  envelope->entries = g_array_sized_new (FALSE, FALSE, sizeof (Entry), n_entries);
  envelope->frames = g_array_sized_new (FALSE, FALSE, sizeof (EntryFrame), n_frames);
  g_array_set_clear_func (envelope->frames, envelope_clear_frame);
  envelope->methods = g_array_sized_new (FALSE, FALSE, sizeof (Method), n_frames);
}

Envelope *
envelope_decode (Buffer *bytes, guint64 cluster_id, GError **error)
{
  g_autoptr (Envelope) envelope = g_new0 (Envelope, 1);
  ByteReader reader = byte_reader_init (slice_of_buffer (bytes));
  ByteReader stored;

  envelope->ref_count = 1;
  envelope->bytes = buffer_ref (bytes);
  if (!read_header (&reader, &envelope->header, error))
    return NULL;
  if (envelope->header.cluster_id != cluster_id)
    {
      system_error (
          error, SYSTEM_ERROR_OTHER_GROUP,
          "of another cluster: its name, expected-members or voters are not the same there");
      return NULL;
    }
  stored = byte_reader_init (slice_sub (slice_of_buffer (bytes), CHECKSUM_OFFSET, 8));
  if (byte_reader_u64 (&stored) != checksum (bytes))
    {
      system_error (error, SYSTEM_ERROR_MALFORMED, "an envelope whose checksum does not hold");
      return NULL;
    }
  prepare_lists (envelope);
  if (read_body (envelope, &reader, &envelope->malformed))
    return g_steal_pointer (&envelope);
  if (envelope->header.kind != ENVELOPE_ORDERED)
    {
      g_propagate_error (error, g_steal_pointer (&envelope->malformed));
      return NULL;
    }
  g_array_set_size (envelope->entries, 0);
  return g_steal_pointer (&envelope);
}

Envelope *
envelope_ref (Envelope *envelope)
{
  envelope->ref_count++;
  return envelope;
}

void
envelope_unref (Envelope *envelope)
{
  if (--envelope->ref_count > 0)
    return;
  buffer_unref (envelope->bytes);
  g_clear_pointer (&envelope->entries, g_array_unref);
  g_clear_pointer (&envelope->frames, g_array_unref);
  g_clear_pointer (&envelope->methods, g_array_unref);
  g_clear_error (&envelope->malformed);
  g_free (envelope);
}

/* SPDX-License-Identifier: MIT */
#include "tests/bench/bench_client.h"

#include "core/base/limits.h"
#include "tests/bench/bench_process.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

#define N_CLIENTS_MAX 2

void
bench_fail (const char *format, ...)
{
  va_list arguments;
  g_autofree char *text = NULL;

  va_start (arguments, format);
  text = g_strdup_vprintf (format, arguments);
  va_end (arguments);
  g_printerr ("bench: %s\n", text);
  bench_process_end_all ();
  exit (1);
}

struct sockaddr_in
bench_client_loopback (guint16 port)
{
  return (struct sockaddr_in){
    .sin_family = AF_INET,
    .sin_port = htons (port),
    .sin_addr.s_addr = htonl (INADDR_LOOPBACK),
  };
}

void
bench_client_connect (BenchClient *client, const struct sockaddr_in *address)
{
  int on = 1;

  client->fd = socket (AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (client->fd < 0
      || connect (client->fd, (const struct sockaddr *) address, sizeof *address) != 0)
    bench_fail ("cannot connect to port %u: %s", ntohs (address->sin_port), g_strerror (errno));
  setsockopt (client->fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  fcntl (client->fd, F_SETFL, O_NONBLOCK);
  frame_reader_init (&client->reader, LIMIT_FRAME_MAX);
  client->writer = frame_writer_new ();
}

void
bench_client_clear (BenchClient *client)
{
  close (client->fd);
  frame_reader_clear (&client->reader);
  frame_writer_free (client->writer);
}

void
bench_client_flush (BenchClient *client)
{
  while (frame_writer_pending (client->writer) > 0)
    {
      Slice slices[LIMIT_WRITE_SLICES];
      struct iovec vectors[LIMIT_WRITE_SLICES];
      guint n_slices = frame_writer_peek (client->writer, slices, LIMIT_WRITE_SLICES);
      gssize written;

      for (guint i = 0; i < n_slices; i++)
        vectors[i] = (struct iovec){ (void *) slices[i].bytes, slices[i].length };
      written = writev (client->fd, vectors, (int) n_slices);
      if (written < 0 && errno == EAGAIN)
        return;
      if (written < 0)
        bench_fail ("cannot write: %s", g_strerror (errno));
      frame_writer_consume (client->writer, (gsize) written);
    }
}

void
bench_client_fill (BenchClient *client)
{
  gsize room;
  guint8 *space = frame_reader_space (&client->reader, &room);
  gssize length = read (client->fd, space, room);

  if (length < 0 && errno == EAGAIN)
    return;
  if (length <= 0)
    bench_fail ("the broker has gone: %s", length == 0 ? "end of file" : g_strerror (errno));
  frame_reader_filled (&client->reader, (gsize) length);
}

gboolean
bench_client_next (BenchClient *client, Frame *ret_frame, Method *ret_method)
{
  g_autoptr (GError) error = NULL;
  FrameReaderResult result = frame_reader_next (&client->reader, ret_frame, &error);

  if (result == FRAME_READER_NEEDS_MORE)
    return FALSE;
  if (result == FRAME_READER_ERROR
      || (ret_frame->type == FRAME_METHOD
          && !method_decode_from_broker (PROTOCOL_0_9_1, ret_frame->payload, ret_method, &error)))
    bench_fail ("the broker sent what it may not: %s", error->message);
  if (ret_frame->type == FRAME_METHOD
      && (ret_method->id == METHOD_CONNECTION_CLOSE || ret_method->id == METHOD_CHANNEL_CLOSE))
    {
      g_autoptr (GString) text = g_string_new (NULL);

      method_print (ret_method, text);
      bench_fail ("the broker closed: %s", text->str);
    }
  return TRUE;
}

void
bench_client_wait (BenchClient *const *clients, guint n_clients, gboolean *ret_readable)
{
  struct pollfd polled[N_CLIENTS_MAX];
  int n_ready;

  g_assert (n_clients <= N_CLIENTS_MAX);
  for (guint i = 0; i < n_clients; i++)
    {
      gboolean waits = frame_writer_pending (clients[i]->writer) > 0;

      polled[i] = (struct pollfd){ clients[i]->fd, (short) (POLLIN | (waits ? POLLOUT : 0)), 0 };
    }
  n_ready = poll (polled, n_clients, BENCH_PATIENCE_SECONDS * 1000);
  if (n_ready == 0)
    bench_fail ("nothing happened for %d s", BENCH_PATIENCE_SECONDS);
  if (n_ready < 0)
    bench_fail ("cannot poll: %s", g_strerror (errno));
  for (guint i = 0; i < n_clients; i++)
    ret_readable[i] = (polled[i].revents & (POLLIN | POLLHUP | POLLERR)) != 0;
}

static void
next_frame (BenchClient *client, Frame *ret_frame, Method *ret_method)
{
  while (!bench_client_next (client, ret_frame, ret_method))
    {
      gboolean readable;

      bench_client_flush (client);
      bench_client_wait (&client, 1, &readable);
      if (readable)
        bench_client_fill (client);
    }
}

static void
expect (BenchClient *client, MethodId id)
{
  Frame frame;
  Method method = { .id = N_METHODS };

  next_frame (client, &frame, &method);
  if (frame.type != FRAME_METHOD || method.id != id)
    bench_fail ("no %s came", method_name (id));
}

static void
send_on (BenchClient *client, guint16 channel, const Method *method)
{
  frame_writer_method (client->writer, PROTOCOL_0_9_1, channel, method);
}

void
bench_client_send (BenchClient *client, const Method *method)
{
  send_on (client, 1, method);
}

void
bench_client_call (BenchClient *client, const Method *request, MethodId answer)
{
  bench_client_send (client, request);
  expect (client, answer);
}

void
bench_client_open (BenchClient *client, const struct sockaddr_in *address)
{
  Method start_ok = { .id = METHOD_CONNECTION_START_OK,
                      .connection_start_ok = { .mechanism = slice_of_text ("PLAIN"),
                                               .response = slice_new ("\0guest\0guest", 12, NULL),
                                               .locale = slice_of_text ("en_US") } };
  Method tune_ok = { .id = METHOD_CONNECTION_TUNE_OK,
                     .connection_tune_ok = { .channel_max = 1, .frame_max = LIMIT_FRAME_MAX } };
  Method open = { .id = METHOD_CONNECTION_OPEN,
                  .connection_open = { .virtual_host = slice_of_text ("/") } };
  Method channel_open = { .id = METHOD_CHANNEL_OPEN };

  bench_client_connect (client, address);
  frame_writer_raw (client->writer,
                    slice_new (protocol_header_preferred (), PROTOCOL_HEADER_SIZE, NULL));
  expect (client, METHOD_CONNECTION_START);
  send_on (client, 0, &start_ok);
  expect (client, METHOD_CONNECTION_TUNE);
  send_on (client, 0, &tune_ok);
  send_on (client, 0, &open);
  expect (client, METHOD_CONNECTION_OPEN_OK);
  bench_client_call (client, &channel_open, METHOD_CHANNEL_OPEN_OK);
}

void
bench_client_close (BenchClient *client)
{
  Method request = { .id = METHOD_CONNECTION_CLOSE,
                     .connection_close = { .reply_code = 200, .reply_text = slice_of_text ("") } };
  Frame frame;
  Method answer = { .id = N_METHODS };

  send_on (client, 0, &request);
  while (answer.id != METHOD_CONNECTION_CLOSE_OK)
    next_frame (client, &frame, &answer);
  bench_client_clear (client);
}

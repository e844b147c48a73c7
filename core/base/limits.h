/* SPDX-License-Identifier: MIT */
/* Every bound in the system: one line and one reason each. Bytes unless the name says otherwise. */
#pragma once

/* --- the wire, AMQP ------------------------------------------------------------------- */
/* Offered in connection.tune; what today's brokers offer, and a quarter of a mebibyte less
 * than would let one connection hold a whole envelope limit. */
#define LIMIT_FRAME_MAX 131072
/* A peer that asks for less cannot carry a method with a long name (0-9-1 section 1.4.2.6,
 * frame-min-size). */
#define LIMIT_FRAME_MIN 4096
/* Type, channel, size and end octet around a payload (0-9-1 section 2.3.5). */
#define LIMIT_FRAME_OVERHEAD 8
/* Offered in connection.tune. Sessions cost memory on every member. */
#define LIMIT_CHANNEL_MAX 2047
/* Seconds, offered in connection.tune. */
#define LIMIT_HEARTBEAT_SECONDS 60
/* Seconds a client may take from its first byte to connection.open. */
#define LIMIT_HANDSHAKE_SECONDS 10
/* Seconds we wait for a client's close-ok before the socket is closed all the same. */
#define LIMIT_CLOSE_SECONDS 5
/* Nested tables and arrays: deeper ones are refused before the stack could feel them. */
#define LIMIT_TABLE_DEPTH 16
/* Values in one table, nested ones included: a table of one-byte values cannot become a
 * thousand times its size in memory. */
#define LIMIT_TABLE_VALUES 4096
/* One message's body. As RabbitMQ 3; half-received content is held on every member. */
#define LIMIT_MESSAGE_SIZE (128 * 1024 * 1024)

/* --- reading and writing of sockets ---------------------------------------------------- */
/* One read buffer: holds a few hundred small frames, or half of the largest one. */
#define LIMIT_READ_BUFFER 65536
/* The least room that is offered to a read: with less left, the tail moves to a fresh buffer. */
#define LIMIT_READ_ROOM 4096
/* One write buffer: small frames gather in it. A writer with nothing to write has none. */
#define LIMIT_WRITE_BUFFER 16384
/* Small payloads are copied into the write buffer, larger ones are referenced. */
#define LIMIT_WRITE_COPY 1024
/* Bytes that may wait for a client's socket before we stop reading from that client. */
#define LIMIT_CLIENT_BACKLOG (4 * 1024 * 1024)
/* Credit a connection starts with: what its consumers may be sent before its socket is known
 * to drain (doc/determinism.md, "a client's socket drained"). */
#define LIMIT_CONNECTION_CREDIT (1024 * 1024)
/* Drained bytes are told to the group when they reach this part of the credit. */
#define LIMIT_CREDIT_REPORT (LIMIT_CONNECTION_CREDIT / 2)

/* --- the group -------------------------------------------------------------------------- */
/* corosync's cpg_max_atomic_msgsize_get; a longer message is never given to a transport. */
#define LIMIT_TRANSPORT_MESSAGE 1047552
/* An envelope is closed once it holds this much; one frame of LIMIT_FRAME_MAX more still fits
 * the transport. Small group messages cost the same whatever their size, large ones stall the
 * ring; beyond 8 KiB not everybody gains (doc/performance.md). */
#define LIMIT_ENVELOPE_FILL 8192
/* Bytes sent to the group and not yet seen delivered: the back-pressure on our clients. Two
 * frames of LIMIT_FRAME_MAX, so that the largest always fits. */
#define LIMIT_OWN_WINDOW (512 * 1024)
/* Envelopes on their way after which a further one is sent only when it is full: a group that
 * stands still must not gather thousands of small ones, each of which goes twice when the view
 * changes. */
#define LIMIT_OWN_ENVELOPES 32
/* Bytes of entries that wait for the transport before clients are no longer read. */
#define LIMIT_OUTBOX_BACKLOG (256 * 1024)
/* One chunk of state on its way to a newcomer, and a part of it that is written at once. */
#define LIMIT_STATE_CHUNK 65536
/* So many chunks' bytes are written and given to the transport in one millisecond, for all: they
 * must not push out the others. */
#define LIMIT_STATE_CHUNKS_PER_TURN 4
/* Bytes of envelopes that a newcomer applies in one turn while it catches up. */
#define LIMIT_REPLAY_PER_TURN (256 * 1024)
/* Full members, eldest first, that speak for the cluster: more voices only cost (protocol:
 * voters). */
#define LIMIT_VOTERS 7
/* Nodes whose voices can be counted where no voters are named and all vote. */
#define LIMIT_VOTES 128
/* Epochs that a member remembers to have gone through: messages are late by few view changes. */
#define LIMIT_FORMER_EPOCHS 16
/* Microseconds a view must have been quiet before an idle member says hello: many that start at
 * once then say it once each. */
#define LIMIT_HELLO_DELAY_US 2000
/* Microseconds until an idle member says hello again. */
#define LIMIT_HELLO_REPEAT_US 1000000
/* Microseconds from the join request, or from the last part of the state that came, until a
 * newcomer gives up and asks again. */
#define LIMIT_JOIN_US 10000000
/* Microseconds until a newcomer that was refused asks again: an operator may have made room. */
#define LIMIT_REFUSED_US 5000000
/* Bytes of the text that says why. */
#define LIMIT_REFUSAL 512
/* Bytes a newcomer keeps that were delivered since it asked. Past half of it the others are asked
 * to say less; past it the newcomer gives up, and asks again later. */
#define LIMIT_JOIN_BACKLOG (64 * 1024 * 1024)
/* How much later, in microseconds: from, doubling, to. */
#define LIMIT_JOIN_BACKOFF_US     1000000
#define LIMIT_JOIN_BACKOFF_US_MAX 60000000
/* Microseconds that members say less after a newcomer's word that it is behind; it says so twice as
 * often. */
#define LIMIT_SLOW_WORD_US 100000
/* Microseconds that they do so at the most, whoever asks, and that they do not do so after: no
 * newcomer stops the service. */
#define LIMIT_SLOW_US      10000000
#define LIMIT_SLOW_REST_US 60000000
/* What one of them says then: so many bytes (one envelope at least), once in so many microseconds.
 * Seven members say 23 MB/s together; a newcomer may apply ten times as much. */
#define LIMIT_SLOW_BYTES   16384
#define LIMIT_SLOW_STEP_US 5000
/* corosync's CPG_MEMBERS_MAX, which corosync itself does not check. */
#define LIMIT_GROUP_MEMBERS 128
/* Bytes that a simulated node's daemon keeps to be ordered, as corosync's does; past three quarters
 * its clients are told to try again. */
#define LIMIT_SIM_NODE_QUEUE (4 * 1024 * 1024)
/* Microseconds until a full transport is tried again when nothing else happens. */
#define LIMIT_RETRY_US 1000
/* Microseconds between two attempts to join through a corosync that is not there or busy: from,
 * doubling, to. */
#define LIMIT_COROSYNC_RETRY_US     5000
#define LIMIT_COROSYNC_RETRY_US_MAX 1000000
/* Microseconds a busy corosync may take to hear that a member leaves; then it sees it end. */
#define LIMIT_COROSYNC_LEAVE_US 2000000
/* Groups of two that one member keeps open to send to others; past it the one that was silent
 * longest is closed, and opened again when it is needed. */
#define LIMIT_PRIVATE_GROUPS 8
/* Microseconds without a message until such a group is closed. */
#define LIMIT_PRIVATE_IDLE_US 2000000
/* Bytes sent to one other member and not yet seen back: they must not push out the multicasts. One
 * message of any size may always be under way. */
#define LIMIT_PRIVATE_WINDOW (512 * 1024)
/* Messages from such groups that wait for the views before them, and microseconds until they wait
 * no more. */
#define LIMIT_PRIVATE_STAGED    16
#define LIMIT_PRIVATE_STAGED_US 50000

/* --- the broker model -------------------------------------------------------------------- */
/* Messages in one copy-on-write segment of a queue: a multiple of 64. A queue of a million is
 * 2,000 references to capture; copying one shared segment is a few microseconds. */
#define LIMIT_SEGMENT_MESSAGES 512
/* Routing keys whose queues a topic exchange remembers: more than a publisher cycles through. */
#define LIMIT_TOPIC_KNOWN_KEYS 16
/* Messages freed at the most after one event; a purge or delete of more is freed bit by bit. */
#define LIMIT_FREE_PER_EVENT 2048
/* A consumer tag, queue or exchange name: AMQP's short strings. */
#define LIMIT_NAME 255

/* --- the member ---------------------------------------------------------------------------- */
/* Microseconds between two looks at all clients: heartbeats and deadlines are whole seconds. */
#define LIMIT_CLIENT_TICK_US 500000

/* --- the daemon ------------------------------------------------------------------------------ */
/* Members in one process, called A to Z. */
#define LIMIT_EMBEDDED_MEMBERS 26
/* A member's or a cluster's name: fits a column of a table, and corosync's group names. */
#define LIMIT_MEMBER_NAME 64
/* A larger file was not meant as our configuration. */
#define LIMIT_CONFIG_FILE (1024 * 1024)
/* The sizes of envelope that may be asked for: a smaller one is mostly header, a larger one and
 * a whole frame behind it might not fit the transport. */
#define LIMIT_ENVELOPE_FILL_MIN 512
#define LIMIT_ENVELOPE_FILL_MAX 524288
/* Ready sockets taken from the kernel at once; the others come in the next turn. */
#define LIMIT_POLL_EVENTS 256
/* Connections accepted from one listener in one turn. */
#define LIMIT_ACCEPTS_PER_TURN 16
/* Connections that the kernel may hold for us before they are accepted. */
#define LIMIT_LISTEN_BACKLOG 511
/* Microseconds without accepting after the process ran out of file descriptors. */
#define LIMIT_ACCEPT_PAUSE_US 100000
/* Free bytes at the top of the heap that are not given back to the kernel. */
#define LIMIT_HEAP_KEPT (16 * 1024 * 1024)
/* What the heap grows by at the least. */
#define LIMIT_HEAP_STEP (1024 * 1024)
/* Slices handed to one writev. */
#define LIMIT_WRITE_SLICES 64
/* Seconds a finished client's socket may take to accept our last bytes, and again to close. */
#define LIMIT_LINGER_SECONDS 2
/* Rounds of flush and dispatch in one turn, and events of one member in each: what a busy group
 * may take before the sockets get their turn again. */
#define LIMIT_ROUNDS_PER_TURN  64
#define LIMIT_EVENTS_PER_ROUND 256
/* Seconds that a member which is drained goes on serving the clients that it has, unless told
 * otherwise; at the most; and microseconds when the whole process stops. */
#define LIMIT_DRAIN_SECONDS     10
#define LIMIT_DRAIN_SECONDS_MAX 3600
#define LIMIT_STOP_GRACE_US     500000
/* Seconds an orderly stop waits for clients to take their leave. */
#define LIMIT_STOP_SECONDS 5
/* One line of a control connection. */
#define LIMIT_CONTROL_REQUEST 4096
/* One answer to it. */
#define LIMIT_CONTROL_REPLY (16 * 1024 * 1024)
/* Control connections at a time: past it the one that was silent longest is closed, so that
 * nobody is locked out by the forgotten. */
#define LIMIT_CONTROL_CLIENTS 16

/* --- the simulator ---------------------------------------------------------------------------- */
/* A larger file was not meant as a scenario. */
#define LIMIT_SCENARIO_FILE (1024 * 1024)
/* Scenarios that extend one another. */
#define LIMIT_SCENARIO_EXTENDS 8
/* Mistakes of one reading that are told: past that many, one look at the file tells more. */
#define LIMIT_SCENARIO_MISTAKES 100
/* Lines at the beginning of a run, and as many at its end, that are told as its story. */
#define LIMIT_STORY_LINES 300

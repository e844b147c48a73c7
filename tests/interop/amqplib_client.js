// SPDX-License-Identifier: MIT
// What programs of Node.js do with a broker, through amqplib; run by client_cases.py, which says
// how.
'use strict';
const assert = require('node:assert/strict');
const { execSync } = require('node:child_process');
const crypto = require('node:crypto');
const amqplib = require('amqplib');

const SECONDS = 20;

// --- what the cases share ------------------------------------------------------------------------

// The brokers, and a case's connections to them: each new one at the next broker.
class Site {
  constructor(name, addresses) {
    this.name = name;
    this.addresses = addresses;
    this.turn = 0;
    this.queues = 0;
    this.open = [];
  }

  async connection(options = {}) {
    const [hostname, port] = this.addresses[this.turn++ % this.addresses.length].split(':');
    const connection = await amqplib.connect(
      { hostname, port: Number(port), username: 'guest', password: 'guest', ...options });
    connection.on('error', (error) => { connection.lastError = error; });
    this.open.push(connection);
    connection.on('close', () => this.open.splice(this.open.indexOf(connection), 1));
    return connection;
  }

  async channel() {
    return (await this.connection()).createChannel();
  }

  async confirmChannel() {
    return (await this.connection()).createConfirmChannel();
  }

  // The name of a new queue of this case.
  async queue(channel, options = {}) {
    const name = `${this.name}-${process.pid}-${++this.queues}`;
    await channel.assertQueue(name, { durable: false, ...options });
    return name;
  }

  exchange() {
    return `${this.name}-${process.pid}`;
  }

  async close() {
    await Promise.all([...this.open].map((connection) => connection.close()));
  }
}

// Some of what arrives, in the order in which it arrived.
class Inbox {
  constructor() {
    this.items = [];
    this.taken = 0;
    this.wake = () => {};
  }

  put(item) {
    this.items.push(item);
    this.wake();
  }

  async take(count) {
    const end = this.taken + count;
    const late = setTimeout(() => this.wake(true), SECONDS * 1000);
    let isLate = false;
    while (this.items.length < end && !isLate) {
      isLate = await new Promise((resolve) => { this.wake = resolve; });
    }
    clearTimeout(late);
    assert.ok(this.items.length >= end, `${this.items.length} of ${end} came in ${SECONDS} s`);
    const items = this.items.slice(this.taken, end);
    this.taken = end;
    return items;
  }
}

async function consume(channel, queue, options) {
  const inbox = new Inbox();
  const { consumerTag } = await channel.consume(queue, (message) => inbox.put(message), options);
  return Object.assign(inbox, { consumerTag });
}

async function publish(channel, queue, ...bodies) {
  for (const body of bodies) channel.sendToQueue(queue, Buffer.from(body));
  await channel.waitForConfirms();
}

const text = (message) => message && message.content.toString();
const texts = (messages) => messages.map(text);
const numbers = (first, last) => Array.from({ length: last - first + 1 }, (_, i) => `${first + i}`);

async function textsLeft(channel, queue) {
  const found = [];
  for (;;) {
    const message = await channel.get(queue, { noAck: true });
    if (!message) return found;
    found.push(text(message));
  }
}

// act(channel) has to close its channel with this code, and the connection lives on.
async function channelError(site, code, act) {
  const connection = await site.connection();
  const channel = await connection.createConfirmChannel();
  const failed = new Promise((resolve) => channel.on('error', resolve));
  const closed = new Promise((resolve) => channel.on('close', resolve));
  await Promise.resolve(act(channel)).catch(() => {});
  const error = await failed;
  assert.equal(error.code, code, error.message);
  await closed;
  const another = await connection.createChannel();
  await another.assertQueue('', { exclusive: true });
  assert.equal(connection.lastError, undefined);
}

// --- queues and exchanges ------------------------------------------------------------------------

async function queueLife(site) {
  const [a, b] = [await site.confirmChannel(), await site.channel()];
  const queue = await site.queue(a);
  await publish(a, queue, '1', '2', '3');
  assert.deepEqual(await b.checkQueue(queue), { queue, messageCount: 3, consumerCount: 0 });
  assert.deepEqual(await b.purgeQueue(queue), { messageCount: 3 });
  await consume(b, queue);
  await publish(a, queue, 'with the consumer', 'too');
  assert.deepEqual(await a.checkQueue(queue), { queue, messageCount: 0, consumerCount: 1 });
  assert.deepEqual(await a.deleteQueue(queue), { messageCount: 0 }, 'that are ready');
  await channelError(site, 404, (channel) => channel.checkQueue(queue));
}

async function serverNamed(site) {
  const [a, b] = [await site.channel(), await site.channel()];
  const names = [];
  for (const channel of [a, b, a]) {
    names.push((await channel.assertQueue('', { exclusive: true })).queue);
  }
  assert.equal(new Set(names).size, 3);
  for (const name of names) assert.match(name, /^amq\.gen-/);
}

async function direct(site) {
  const [a, b] = [await site.confirmChannel(), await site.channel()];
  const exchange = site.exchange();
  await a.assertExchange(exchange, 'direct', { durable: false });
  await b.checkExchange(exchange);
  const queue = await site.queue(b);
  await b.bindQueue(queue, exchange, 'red');
  await a.bindQueue(queue, exchange, 'blue');
  for (const key of ['red', 'green', 'blue']) a.publish(exchange, key, Buffer.from(key));
  await a.waitForConfirms();
  assert.deepEqual(await textsLeft(b, queue), ['red', 'blue']);
  await b.unbindQueue(queue, exchange, 'red');
  for (const key of ['red', 'blue']) a.publish(exchange, key, Buffer.from(key));
  await a.waitForConfirms();
  assert.deepEqual(await textsLeft(b, queue), ['blue']);
  await a.deleteQueue(queue);
  await b.deleteExchange(exchange);
  await channelError(site, 404, (channel) => channel.checkExchange(exchange));
}

async function topic(site) {
  const [a, b] = [await site.confirmChannel(), await site.channel()];
  const exchange = site.exchange();
  await a.assertExchange(exchange, 'topic', { durable: false });
  const keys = ['', 'a', 'a.b', 'a.b.c', 'x.b'];
  const rows = {
    '#': keys,
    '*': ['a'],
    'a.*': ['a.b'],
    'a.#': ['a', 'a.b', 'a.b.c'],
    '*.b': ['a.b', 'x.b'],
    '#.c': ['a.b.c'],
    'a.#.c': ['a.b.c'],
    'a.b': ['a.b'],
  };
  const queues = {};
  for (const pattern of Object.keys(rows)) {
    queues[pattern] = await site.queue(b);
    await b.bindQueue(queues[pattern], exchange, pattern);
  }
  for (const key of keys) a.publish(exchange, key, Buffer.from(key));
  await a.waitForConfirms();
  for (const [pattern, matching] of Object.entries(rows)) {
    assert.deepEqual(await textsLeft(b, queues[pattern]), matching, pattern);
    await a.deleteQueue(queues[pattern]);
  }
  await a.deleteExchange(exchange);
}

async function exclusiveQueue(site) {
  const owner = await site.connection();
  const queue = await site.queue(await owner.createChannel(), { exclusive: true });
  await channelError(site, 405, (channel) => channel.checkQueue(queue));
  await channelError(site, 405, (channel) => channel.get(queue));
  await (await owner.createChannel()).checkQueue(queue);
  await owner.close();
  await channelError(site, 404, (channel) => channel.checkQueue(queue));
}

async function autoDeleteQueue(site) {
  const [a, b] = [await site.channel(), await site.channel()];
  const queue = await site.queue(a, { autoDelete: true });
  const first = await consume(a, queue);
  const second = await consume(b, queue);
  await a.cancel(first.consumerTag);
  await a.checkQueue(queue);
  await b.cancel(second.consumerTag);
  await channelError(site, 404, (channel) => channel.checkQueue(queue));
}

// --- publishing ----------------------------------------------------------------------------------

async function confirms(site) {
  const [a, b] = [await site.confirmChannel(), await site.channel()];
  const queue = await site.queue(a);
  const confirmed = [];
  for (const body of numbers(1, 200)) {
    a.sendToQueue(queue, Buffer.from(body), {}, (error) => confirmed.push(error || body));
  }
  await a.waitForConfirms();
  assert.deepEqual(confirmed, numbers(1, 200));
  assert.deepEqual(await textsLeft(b, queue), numbers(1, 200));
  await b.deleteQueue(queue);
}

async function mandatoryReturn(site) {
  const channel = await site.confirmChannel();
  const seen = [];
  channel.on('return', (message) => seen.push(message));
  channel.publish('amq.direct', 'nowhere', Buffer.from('lost'),
    { mandatory: true, messageId: 'comes-back' }, () => seen.push('confirm'));
  await channel.waitForConfirms();
  const [message, confirm] = seen;
  assert.equal(text(message), 'lost');
  assert.equal(message.fields.replyCode, 312);
  assert.equal(message.fields.exchange, 'amq.direct');
  assert.equal(message.fields.routingKey, 'nowhere');
  assert.equal(message.properties.messageId, 'comes-back');
  assert.equal(confirm, 'confirm', 'the return comes before the confirm');
}

async function properties(site) {
  const [a, b] = [await site.confirmChannel(), await site.channel()];
  const queue = await site.queue(a);
  const sent = {
    contentType: 'text/plain', contentEncoding: 'utf-8', deliveryMode: 2, priority: 3,
    correlationId: 'correlation', replyTo: 'reply', expiration: '60000', messageId: 'message',
    timestamp: 1700000000, type: 'type', userId: 'guest', appId: 'application',
    headers: {
      text: 'ünï', yes: true, no: false, small: -1, large: 2 ** 40, fraction: 0.5, nothing: null,
      list: [1, 'two', [3]], table: { deep: { deeper: 'x' } }, bytes: Buffer.from([0, 255]),
    },
  };
  a.sendToQueue(queue, Buffer.from('body'), sent);
  await a.waitForConfirms();
  const got = (await b.get(queue, { noAck: true })).properties;
  for (const [name, value] of Object.entries(sent)) assert.deepEqual(got[name], value, name);
  await b.deleteQueue(queue);
}

async function largeMessage(site) {
  const [a, b] = [await site.confirmChannel(), await site.channel()];
  const queue = await site.queue(a);
  const bodies = [8 * 1024 * 1024, 0, 131072 - 8, 131072 - 7].map((n) => crypto.randomBytes(n));
  for (const body of bodies) a.sendToQueue(queue, body);
  await a.waitForConfirms();
  const got = await (await consume(b, queue, { noAck: true })).take(bodies.length);
  got.forEach((message, i) => assert.ok(message.content.equals(bodies[i]), `body ${i}`));
  await b.deleteQueue(queue);
}

// --- getting and consuming -----------------------------------------------------------------------

async function get(site) {
  const [a, b] = [await site.confirmChannel(), await site.channel()];
  const queue = await site.queue(a);
  assert.equal(await b.get(queue), false);
  await publish(a, queue, '1', '2', '3');
  const { fields } = await b.get(queue);
  assert.deepEqual(
    { ...fields },
    { deliveryTag: 1, redelivered: false, exchange: '', routingKey: queue, messageCount: 2 });
  await b.close();
  const message = await a.get(queue);
  assert.deepEqual([text(message), message.fields.redelivered], ['1', true]);
  a.ack(message);
  assert.deepEqual(await textsLeft(a, queue), ['2', '3']);
  await a.deleteQueue(queue);
}

async function acks(site) {
  const [a, b] = [await site.confirmChannel(), await site.channel()];
  const queue = await site.queue(a);
  await publish(a, queue, ...numbers(1, 8));
  const inbox = await consume(b, queue);
  const messages = await inbox.take(8);
  assert.deepEqual(texts(messages), numbers(1, 8));
  assert.ok(messages.every(({ fields }) => !fields.redelivered));
  b.ack(messages[1], true); // 1 and 2
  b.nack(messages[2], false, false);
  b.reject(messages[3], true);
  const [again] = await inbox.take(1);
  assert.deepEqual([text(again), again.fields.redelivered], ['4', true]);
  b.ack(again);
  b.nack(messages[5], true, true); // 5 and 6
  const both = await inbox.take(2);
  assert.deepEqual(texts(both), ['5', '6']);
  b.ack(both[1]);
  await b.close();
  const left = [await a.get(queue), await a.get(queue), await a.get(queue)];
  assert.deepEqual(left.map((m) => [text(m), m.fields.redelivered]),
    [['5', true], ['7', true], ['8', true]]);
  assert.equal(await a.get(queue), false);
  a.ackAll();
  await a.deleteQueue(queue);
}

async function prefetch(site) {
  const [a, b] = [await site.confirmChannel(), await site.channel()];
  const queue = await site.queue(a);
  await b.prefetch(3);
  const inbox = await consume(b, queue);
  await publish(a, queue, ...numbers(1, 10));
  let messages = await inbox.take(3);
  assert.equal((await a.checkQueue(queue)).messageCount, 7);
  const seen = [...messages];
  while (seen.length < 10) {
    b.ack(messages.shift());
    messages = messages.concat(await inbox.take(1));
    seen.push(messages.at(-1));
  }
  assert.deepEqual(texts(seen), numbers(1, 10));
  await b.deleteQueue(queue);
}

async function cancel(site) {
  const [a, b] = [await site.confirmChannel(), await site.channel()];
  const queue = await site.queue(a);
  const inbox = await consume(b, queue, { consumerTag: 'mine' });
  assert.equal(inbox.consumerTag, 'mine');
  await publish(a, queue, '1');
  b.ack((await inbox.take(1))[0]);
  await b.cancel('mine');
  await publish(a, queue, '2');
  assert.deepEqual(await a.checkQueue(queue), { queue, messageCount: 1, consumerCount: 0 });
  assert.equal(inbox.items.length, 1);
  await a.deleteQueue(queue);
}

async function cancelledByBroker(site) {
  const [a, b] = [await site.channel(), await site.channel()];
  const queue = await site.queue(a);
  const inbox = await consume(b, queue);
  await a.deleteQueue(queue);
  assert.deepEqual(await inbox.take(1), [null]);
}

async function exclusiveConsumer(site) {
  const [a, b] = [await site.channel(), await site.channel()];
  const queue = await site.queue(a);
  const { consumerTag } = await consume(a, queue, { exclusive: true });
  await channelError(site, 403, (channel) => channel.consume(queue, () => {}));
  await a.cancel(consumerTag);
  await consume(b, queue);
  await a.deleteQueue(queue);
}

// --- errors and ends -----------------------------------------------------------------------------

async function channelErrors(site) {
  const channel = await site.confirmChannel();
  const queue = await site.queue(channel);
  await publish(channel, queue, 'x');
  const rows = [
    [404, (c) => c.checkQueue('none')],
    [404, (c) => c.checkExchange('none')],
    [404, (c) => c.bindQueue(queue, 'none', '')],
    [404, (c) => c.get('none')],
    [404, (c) => c.consume('none', () => {})],
    [404, (c) => c.publish('none', '', Buffer.from('x'))],
    [406, (c) => c.assertQueue(queue, { durable: true })],
    [406, (c) => c.assertExchange('amq.direct', 'topic')],
    [406, (c) => c.deleteQueue(queue, { ifEmpty: true })],
    [406, (c) => c.ack({ fields: { deliveryTag: 99 } })],
    [403, (c) => c.deleteExchange('amq.topic')],
  ];
  for (const [code, act] of rows) await channelError(site, code, async (c) => act(c));
  await channel.deleteQueue(queue);
}

async function wrongPassword(site) {
  await assert.rejects(site.connection({ password: 'wrong' }), /403/);
}

async function unknownVhost(site) {
  await assert.rejects(site.connection({ vhost: 'none' }), /ConnectionClose/);
}

async function connectionClose(site) {
  const [a, b] = [await site.confirmChannel(), await site.connection()];
  const queue = await site.queue(a);
  await publish(a, queue, '1', '2');
  const channels = [await b.createChannel(), await b.createChannel()];
  for (const channel of channels) await channel.get(queue);
  const closed = new Promise((resolve) => b.on('close', resolve));
  await b.close();
  await closed;
  await assert.rejects(b.createChannel());
  assert.equal((await a.checkQueue(queue)).messageCount, 2, 'both came back');
  assert.deepEqual(await textsLeft(a, queue), ['1', '2']);
  await a.deleteQueue(queue);
}

// The member of a publisher and of a consumer ends under them: what was confirmed is at the next
// one, what was not acknowledged is delivered again.
async function memberCrashes(site) {
  const doomed = await site.connection();
  const lost = new Promise((resolve) => doomed.on('close', resolve));
  const publisher = await doomed.createConfirmChannel();
  const queue = await site.queue(publisher, { durable: true });
  const exclusive = await site.queue(publisher, { exclusive: true });
  await publish(publisher, queue, ...numbers(1, 20));
  const consumer = await doomed.createChannel();
  await consumer.prefetch(5);
  const inbox = await consume(consumer, queue);
  consumer.ack((await inbox.take(5))[4], true);
  assert.deepEqual(texts(await inbox.take(5)), numbers(6, 10));
  execSync(process.env.MEMBER_CRASH);
  await lost;

  const connection = await site.connection();
  const again = await connection.createConfirmChannel();
  await publish(again, queue, '21');
  const messages = await (await consume(again, queue, { noAck: true })).take(16);
  assert.deepEqual(texts(messages), numbers(6, 21));
  assert.deepEqual(messages.map(({ fields }) => fields.redelivered),
    messages.map((_, i) => i < 5));
  await again.deleteQueue(queue);
  const failed = new Promise((resolve) => again.on('error', resolve));
  await again.checkQueue(exclusive).catch(() => {});
  assert.equal((await failed).code, 404, 'gone with the connection that had it');
}

// --- running -------------------------------------------------------------------------------------

const cases = Object.fromEntries([
  queueLife, serverNamed, direct, topic, exclusiveQueue, autoDeleteQueue,
  confirms, mandatoryReturn, properties, largeMessage, get, acks, prefetch, cancel,
  cancelledByBroker, exclusiveConsumer, channelErrors, wrongPassword, unknownVhost,
  connectionClose, memberCrashes,
].map((run) => [run.name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`), run]));

async function main() {
  const [name, ...addresses] = process.argv.slice(2);
  if (!name) {
    console.log(Object.keys(cases).join('\n'));
    return;
  }
  const site = new Site(name, addresses);
  await cases[name](site);
  await site.close();
}

main().catch((error) => {
  console.error(error);
  process.exit(1);
});

import { connect } from 'node:net';

// A driver for meters that speak lines of text over TCP: "READ volts" is answered by a number or by "ERR <reason>", and
// "SET relay 1" by "OK" or "ERR <reason>".

const settings = {
  type: 'object',
  properties: {
    host: { type: 'string', minLength: 1, description: 'Name or address of the meter' },
    port: { type: 'integer', minimum: 1, maximum: 65_535, default: 4001 },
  },
  required: ['host'],
};

const address = {
  type: 'object',
  properties: { quantity: { type: 'string', enum: ['volts', 'amperes', 'relay'] } },
  required: ['quantity'],
};

export async function activate({ registerDriver }) {
  await registerDriver({ type: 'line-meter', settings, address, create: createMeter });
}

function createMeter({ host, port }, onLost) {
  let socket;
  // One question at a time: lines have no numbers that would tell answers apart.
  let pending;
  let received = '';

  function take(text) {
    received += text;
    const end = received.indexOf('\n');
    if (end < 0 && received.length < 1000) return;
    const line = received.slice(0, end);
    received = received.slice(end + 1);
    pending?.resolve(line);
    pending = undefined;
  }

  function lose(error) {
    pending?.reject(error);
    pending = undefined;
    if (socket === undefined) return;
    socket = undefined;
    onLost(error);
  }

  async function ask(question, signal) {
    if (socket === undefined) throw new Error('the meter is not connected');
    signal.throwIfAborted();
    const { promise, resolve, reject } = Promise.withResolvers();
    pending = { resolve, reject };
    // The answer may still come: only a new link tells it from the answer to the next question.
    const giveUp = () => socket?.destroy(signal.reason);
    signal.addEventListener('abort', giveUp, { once: true });
    socket.write(`${question}\n`);
    try {
      return await promise;
    } finally {
      signal.removeEventListener('abort', giveUp);
    }
  }

  return {
    connect(signal) {
      return new Promise((resolve, reject) => {
        const opening = connect({ host, port, signal });
        opening.setEncoding('utf8');
        opening.on('data', take);
        opening.once('connect', () => {
          socket = opening;
          resolve();
        });
        opening.once('error', reject);
        opening.once('close', () => lose(new Error('the meter has closed the link')));
      });
    },
    disconnect() {
      const closing = socket;
      socket = undefined;
      closing?.destroy();
    },
    async read(channels, signal) {
      const readings = [];
      for (const { address: place } of channels) {
        const answer = await ask(`READ ${place.quantity}`, signal);
        readings.push(answer.startsWith('ERR') ? { failure: toFailure(answer) } : { value: Number(answer) });
      }
      return readings;
    },
    async write(requests, signal) {
      const outcomes = [];
      for (const { channel, value } of requests) {
        const answer = await ask(`SET ${channel.address.quantity} ${Number(value)}`, signal);
        outcomes.push(answer === 'OK' ? {} : { failure: toFailure(answer) });
      }
      return outcomes;
    },
  };
}

function toFailure(answer) {
  return { code: 'METER_REFUSED', message: `the meter answered "${answer}"` };
}

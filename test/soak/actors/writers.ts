import { send } from '../../support/https-client.ts';
import type { ClientOptions } from '../../support/https-client.ts';
import type { Actor } from '../crew.ts';
import { expectRecords, expectValues } from '../expect.ts';
import type { Ground } from '../ground.ts';

/** A channel that is written and read back. */
interface Setpoint {
  readonly asset: string;
  readonly channel: string;
  readonly type: string;
  readonly pauseMs: number;
}

const SETPOINTS: readonly Setpoint[] = [
  { asset: 'plant', channel: 'setpoint', type: 'INTEGER', pauseMs: 500 },
  { asset: 'server', channel: 'uint16', type: 'INTEGER', pauseMs: 1000 },
  { asset: 'scale', channel: 'setpoint', type: 'DOUBLE', pauseMs: 3000 },
];
const VALUES = 50;
/** Requests with a key that is sent again; stored answers are bounded by their number. */
const KEYS = 100;

/** Those who write, and read what they have written. */
export async function createWriters(ground: Ground): Promise<readonly Actor[]> {
  const client = await ground.withCertificate('scada', true);
  const writers = SETPOINTS.map((setpoint): Actor => {
    let count = 0;
    return {
      name: `writer of ${setpoint.asset}`,
      pauseMs: setpoint.pauseMs,
      async step() {
        const value = (count += 1) % VALUES;
        await write(client, setpoint, value);
        const path = `/services/assets/${setpoint.asset}/_read`;
        const answer = await send(client, 'POST', path, { body: { channels: [setpoint.channel] } });
        expectValues(expectRecords(answer), { [setpoint.channel]: value });
      },
    };
  });
  return [...writers, await createRepeater(ground)];
}

/** Sends requests again under their key, as a client does that has not got an answer. */
async function createRepeater(ground: Ground): Promise<Actor> {
  const client = await ground.withCertificate('scada', true);
  let count = 0;
  return {
    name: 'writer that repeats',
    pauseMs: 1000,
    async step() {
      count += 1;
      const headers = { 'Idempotency-Key': `soak-${count % KEYS}` };
      const body = { channels: [{ name: 'note', type: 'INTEGER', value: 7 }] };
      const answer = await send(client, 'POST', '/services/assets/plant/_write', { headers, body });
      expectRecords(answer);
      const isReplayed = answer.headers['idempotency-replayed'] === 'true';
      if (isReplayed !== count > KEYS)
        throw new Error(`request ${count} was ${isReplayed ? '' : 'not '}replayed`);
    },
  };
}

async function write(
  client: ClientOptions,
  { asset, channel, type }: Setpoint,
  value: number,
): Promise<void> {
  const body = { channels: [{ name: channel, type, value }] };
  const [record] = expectRecords(await send(client, 'POST', `/services/assets/${asset}/_write`, { body }));
  if (record?.outcome !== 'VERIFIED') throw new Error(`${asset}: the outcome is ${String(record?.outcome)}`);
}

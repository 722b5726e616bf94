import { connectAsync } from 'mqtt';

import { serveRemote } from '../bench/remote.ts';
import { Ledger } from './ledger.ts';
import type { LedgerFindings, LedgerMessage } from './ledger.ts';

/** Messages that came since the previous count. */
export interface FleetCount {
  readonly live: number;
  readonly backlog: number;
  readonly backlogSamples: number;
  /** 99 % of the live messages came so many milliseconds after their oldest sample was taken, or earlier. */
  readonly liveP99Ms: number;
}

interface Message extends LedgerMessage {
  readonly state?: string;
  readonly samples?: readonly {
    readonly sequence: number;
    readonly channel: string;
    readonly takenAt: number;
  }[];
}

const ledger = new Ledger();
let ages: number[] = [];
let [backlog, backlogSamples] = [0, 0];
/** Milliseconds by which the clocks of the gateways are ahead of that of this machine. */
let aheadMs: (gateway: string) => number = () => 0;

serveRemote({ listen, setClocks, count, findings });

async function listen(port: number): Promise<void> {
  const client = await connectAsync(`mqtt://127.0.0.1:${port}`, {
    protocolVersion: 5,
    clientId: 'ledger',
    properties: { receiveMaximum: 65_535 },
  });
  client.on('message', (_topic, payload) => take(JSON.parse(payload.toString()) as Message));
  await client.subscribeAsync(['penstock/+/state', 'penstock/+/second'], { qos: 1 });
}

function setClocks(ahead: ReadonlyMap<string, number>): void {
  aheadMs = (gateway) => ahead.get(gateway) ?? 0;
}

function take(message: Message): void {
  const { gateway, state, samples: [oldest] = [] } = message;
  if (state === 'ONLINE') ledger.connect(gateway);
  if (oldest === undefined) return;
  ledger.take(message);
  if (message.backlog === true) {
    backlog += 1;
    backlogSamples += message.samples?.length ?? 0;
  } else {
    ages.push(Date.now() + aheadMs(gateway) - oldest.takenAt);
  }
}

function count(): FleetCount {
  const sorted = ages.toSorted((one, other) => one - other);
  const counted = {
    live: sorted.length,
    backlog,
    backlogSamples,
    liveP99Ms: Math.round(sorted[Math.floor(sorted.length * 0.99)] ?? 0),
  };
  ages = [];
  [backlog, backlogSamples] = [0, 0];
  return counted;
}

function findings(expected: ReadonlyMap<string, number>): LedgerFindings {
  return ledger.findings(expected);
}

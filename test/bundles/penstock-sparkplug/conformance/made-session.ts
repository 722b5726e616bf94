import type { DataSet, Metric, Payload, Session, SessionEvent } from './session.ts';
import { DATATYPE } from './values.ts';

const GROUP = 'Plant';
const NODE = 'north';
const HOST = 'scada';
const BROKERS = ['one', 'two'];
const START = 1_764_000_000_000;

/** Options of a session that is made up. */
export interface Made {
  readonly version?: 4 | 5;
  readonly hasAliases?: boolean;
  readonly hasHost?: boolean;
}

/**
 * Makes a session that keeps every rule: two connections, and in the first one births, data of a device that pass the
 * sequence number 255, a rebirth, a device that is cut off and returns, and the host's end.
 */
export function makeSession({ version = 4, hasAliases = true, hasHost = true }: Made = {}): Session {
  const writer = new SessionWriter(version, hasAliases);
  writer.open(hasHost);
  writer.births();
  for (let index = 0; index < 300; index += 1) writer.data('boiler', [writer.level(index)]);
  writer.node();
  writer.table();
  writer.backlog();
  writer.push({ type: 'delivery', topic: writer.topic('NCMD'), payload: rebirthRequest(), messageId: 7 });
  writer.push({ type: 'acknowledge', messageId: 7 });
  writer.births();
  writer.push({ type: 'lost', device: 'pump' });
  writer.send('DDEATH', 'pump', {});
  writer.data('boiler', [writer.level(1000)]);
  writer.birth('pump');
  if (hasHost) {
    writer.state(false, START - 5000);
    writer.data('boiler', [writer.level(1001)]);
    writer.state(false, writer.now);
  }
  writer.close();
  writer.open(hasHost);
  writer.births();
  writer.close();
  return {
    group: GROUP,
    node: NODE,
    writable: ['boiler'],
    brokers: BROKERS,
    ...(hasHost ? { primaryHost: HOST } : {}),
    events: writer.events,
  };
}

class SessionWriter {
  readonly events: SessionEvent[] = [];
  now = START;
  readonly #version: 4 | 5;
  readonly #hasAliases: boolean;
  #connection = -1;
  #seq = 0;

  constructor(version: 4 | 5, hasAliases: boolean) {
    this.#version = version;
    this.#hasAliases = hasAliases;
  }

  push(event: Unplaced): void {
    this.now += 100;
    const broker = BROKERS[this.#connection % BROKERS.length] ?? '';
    this.events.push({ connection: this.#connection, broker, at: this.now, ...event });
  }

  topic(verb: string, device?: string): string {
    return ['spBv1.0', GROUP, verb, NODE, ...(device === undefined ? [] : [device])].join('/');
  }

  open(hasHost: boolean): void {
    this.#connection += 1;
    this.push({
      type: 'connect',
      version: this.#version,
      isClean: true,
      sessionExpiry: undefined,
      will: { topic: this.topic('NDEATH'), payload: this.death(), qos: 1, isRetained: false },
    });
    this.push({ type: 'accepted' });
    const topics = [this.topic('NCMD'), this.topic('DCMD', '+'), ...(hasHost ? [stateOf(HOST)] : [])];
    this.push({ type: 'subscribe', filters: topics.map((filter) => ({ filter, qos: 1 })) });
    if (hasHost) this.state(true, this.now);
  }

  close(): void {
    this.publish('NDEATH', undefined, this.death());
    this.push({ type: 'disconnect', reasonCode: this.#version === 5 ? 4 : undefined });
    this.push({ type: 'closed' });
  }

  state(isOnline: boolean, timestamp: number): void {
    this.push({
      type: 'delivery',
      topic: stateOf(HOST),
      text: JSON.stringify({ online: isOnline, timestamp }),
      messageId: 8,
    });
    if (!isOnline) this.push({ type: 'acknowledge', messageId: 8 });
  }

  births(): void {
    this.now += 10_000;
    this.#seq = 0;
    this.send('NBIRTH', undefined, {
      metrics: [
        { ...this.bdSeq(), timestamp: String(this.now) },
        this.declared('Node Control/Rebirth', undefined, DATATYPE.Boolean, { booleanValue: false }),
        this.declared('gateway', 1, DATATYPE.Int32, { intValue: 1 }),
      ],
    });
    this.birth('boiler');
    this.birth('pump');
  }

  birth(device: string): void {
    const first = device === 'boiler' ? 10 : 20;
    const properties = {
      keys: ['Quality', 'engUnit'],
      values: [
        { type: DATATYPE.Int32, intValue: 192 },
        { type: DATATYPE.String, stringValue: 'degC' },
      ],
    };
    this.send('DBIRTH', device, {
      metrics: [
        { ...this.declared('level', first, DATATYPE.Double, { doubleValue: -1 }), properties },
        this.declared('mode', first + 1, DATATYPE.String, { isNull: true }),
        this.declared('all', first + 2, DATATYPE.DataSet, { datasetValue: tableOf(0) }),
      ],
    });
  }

  data(device: string | undefined, metrics: Metric[]): void {
    this.send(device === undefined ? 'NDATA' : 'DDATA', device, { metrics });
  }

  level(value: number): Metric {
    const properties = { keys: ['Quality'], values: [{ type: DATATYPE.Int32, intValue: 192 }] };
    return { ...this.sample('level', 10, { doubleValue: value }), properties };
  }

  node(): void {
    this.data(undefined, [this.sample('gateway', 1, { intValue: 2 })]);
  }

  table(): void {
    const values = [
      this.sample('mode', 11, { stringValue: 'on' }),
      this.sample('mode', 11, { stringValue: 'off' }),
    ];
    this.data('boiler', [...values, this.sample('all', 12, { datasetValue: tableOf(1) })]);
  }

  backlog(): void {
    const metric = {
      ...this.sample('level', 10, { doubleValue: 5 }),
      timestamp: String(START - 60_000),
      isHistorical: true,
    };
    this.data('boiler', [metric, metric]);
  }

  sample(name: string, alias: number, value: Metric): Metric {
    return {
      ...(this.#hasAliases ? { alias: String(alias) } : { name }),
      timestamp: String(this.now),
      ...value,
    };
  }

  declared(name: string, alias: number | undefined, datatype: number, value: Metric): Metric {
    const hasAlias = this.#hasAliases && alias !== undefined;
    return {
      name,
      ...(hasAlias ? { alias: String(alias) } : {}),
      timestamp: String(this.now),
      datatype,
      ...value,
    };
  }

  bdSeq(): Metric {
    return { name: 'bdSeq', datatype: DATATYPE.Int64, longValue: String(this.#connection % 256) };
  }

  death(): Payload {
    return { timestamp: String(this.now), metrics: [this.bdSeq()] };
  }

  send(verb: string, device: string | undefined, payload: Payload): void {
    this.publish(verb, device, { timestamp: String(this.now), seq: String(this.#seq), ...payload });
    this.#seq = (this.#seq + 1) % 256;
  }

  publish(verb: string, device: string | undefined, payload: Payload): void {
    this.push({ type: 'publish', topic: this.topic(verb, device), payload, qos: 0, isRetained: false });
  }
}

/** An event without its place. */
type Unplaced = SessionEvent extends infer Event
  ? Event extends SessionEvent
    ? Omit<Event, Placed>
    : never
  : never;
type Placed = 'connection' | 'broker' | 'at';

/** Returns the payload of a request for new births. */
export function rebirthRequest(): Payload {
  return {
    timestamp: String(START),
    metrics: [{ name: 'Node Control/Rebirth', datatype: DATATYPE.Boolean, booleanValue: true }],
  };
}

function stateOf(host: string): string {
  return `spBv1.0/STATE/${host}`;
}

function tableOf(value: number): DataSet {
  return {
    numOfColumns: '2',
    columns: ['channel', 'value'],
    types: [DATATYPE.String, DATATYPE.Double],
    rows: [{ elements: [{ stringValue: 'level' }, { doubleValue: value }] }],
  };
}

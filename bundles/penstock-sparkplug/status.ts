import { toStatusLine } from '../mqtt/status-line.ts';

/** Report of the bundle, which replaces the one before. */
export interface NodeReport {
  readonly state: 'OK' | 'WARNING' | 'ERROR';
  /** One line of at most 200 characters. */
  readonly detail: string;
  readonly counters: Readonly<Record<string, number>>;
}

/** Names of what is counted since the start of the process. */
const COUNTERS = [
  'messages',
  'samples',
  'historicalSamples',
  'unknownSamples',
  'refusedMessages',
  'gaps',
  'births',
  'rebirthRequests',
  'hostLosses',
  'reconnects',
  'commands',
  'writes',
  'commandErrors',
] as const;
export type Counter = (typeof COUNTERS)[number];

/** Amounts that are measured for each report. */
export interface Levels {
  /** Entries of the journal that have not arrived. */
  readonly backlog: number;
  readonly devices: number;
  readonly metrics: number;
  /** Milliseconds since the epoch; 0: none yet. */
  readonly lastBirthMs: number;
  readonly bdSeq: number;
}

interface ConnectionState {
  readonly state: NodeReport['state'];
  readonly detail: string;
}

/** Collects what the bundle reports of itself. */
export class NodeStatus {
  readonly #counts = new Map<Counter, number>(COUNTERS.map((name) => [name, 0]));
  #connection: ConnectionState = { state: 'WARNING', detail: 'not started' };
  #settingsFault: string | undefined;
  #commandFault: string | undefined;
  /** Reasons why recorders wait, by recorder. */
  readonly #held = new Map<string, string>();

  count(name: Counter, amount = 1): void {
    this.#counts.set(name, (this.#counts.get(name) ?? 0) + amount);
  }

  /** Records that no connection is there, and when the next attempt follows. */
  setDisconnected(reason: string, isPermanent: boolean, delayMs?: number): void {
    const next = delayMs === undefined ? '' : `; next attempt in ${Math.ceil(delayMs / 1000)} s`;
    this.#connection = { state: isPermanent ? 'ERROR' : 'WARNING', detail: `${reason}${next}` };
  }

  /** Records that the primary host is waited for. */
  setWaiting(url: string, hostId: string): void {
    this.#connection = { state: 'WARNING', detail: `connected to ${url}, waits for host "${hostId}"` };
  }

  /** Records that the node is born. */
  setBorn(url: string): void {
    this.#connection = { state: 'OK', detail: `connected to ${url}, born` };
  }

  /** Records that a recorder waits before it is tried again. */
  hold(recorder: string, reason: string, delayMs: number): void {
    this.#held.set(recorder, `recorder "${recorder}": ${reason}; again in ${Math.ceil(delayMs / 1000)} s`);
  }

  release(recorder: string): void {
    this.#held.delete(recorder);
  }

  /** @param fault undefined: the settings can be used */
  setSettingsFault(fault: string | undefined): void {
    this.#settingsFault = fault;
  }

  /** @param fault of the last command; undefined: it was carried out */
  setCommandFault(fault: string | undefined): void {
    this.#commandFault = fault;
  }

  /** Returns the report: the gravest fault, and all counters. */
  report(levels: Levels): NodeReport {
    const { state, detail } = this.#gravest();
    return {
      state,
      detail: toStatusLine(detail),
      counters: { ...Object.fromEntries(this.#counts), ...levels },
    };
  }

  #gravest(): ConnectionState {
    if (this.#settingsFault !== undefined) return { state: 'ERROR', detail: this.#settingsFault };
    if (this.#connection.state !== 'OK') return this.#connection;
    const [held] = this.#held.values();
    const others = this.#held.size > 1 ? ` (and ${this.#held.size - 1} more)` : '';
    if (held !== undefined) return { state: 'ERROR', detail: `${held}${others}` };
    if (this.#commandFault !== undefined) return { state: 'WARNING', detail: this.#commandFault };
    return this.#connection;
  }
}

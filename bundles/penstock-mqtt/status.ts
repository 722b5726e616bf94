import { toStatusLine } from '../mqtt/status-line.ts';

/** Report of the bundle, which replaces the one before. */
export interface SenderReport {
  readonly state: 'OK' | 'WARNING' | 'ERROR';
  /** One line of at most 200 characters. */
  readonly detail: string;
  readonly counters: Readonly<Record<string, number>>;
}

/** Names of what is counted since the start of the process. */
const COUNTERS = [
  'sent',
  'acknowledged',
  'samples',
  'gaps',
  'refused',
  'reconnects',
  'commands',
  'commandErrors',
] as const;
export type Counter = (typeof COUNTERS)[number];

/** State of the connection in words. */
interface ConnectionState {
  readonly state: SenderReport['state'];
  readonly detail: string;
}

/** Amounts that are measured for each report. */
export interface Levels {
  /** Messages without acknowledgement. */
  readonly waiting: number;
  /** Entries of the journal that have not arrived. */
  readonly backlog: number;
}

/** Collects what the bundle reports of itself. */
export class SenderStatus {
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

  setConnected(url: string): void {
    this.#connection = { state: 'OK', detail: `connected to ${url}` };
  }

  /** Records that a recorder waits before its messages are tried again. */
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

  /** @param fault undefined: commands are received or disabled */
  setCommandFault(fault: string | undefined): void {
    this.#commandFault = fault;
  }

  /** Returns the report: the gravest fault, and all counters. */
  report(levels: Levels): SenderReport {
    const counters = { ...Object.fromEntries(this.#counts), ...levels };
    const { state, detail } = this.#gravest();
    return { state, detail: toStatusLine(detail), counters };
  }

  #gravest(): ConnectionState {
    if (this.#settingsFault !== undefined) return { state: 'ERROR', detail: this.#settingsFault };
    const [held] = this.#held.values();
    const others = this.#held.size > 1 ? ` (and ${this.#held.size - 1} more)` : '';
    if (this.#connection.state !== 'OK') return this.#connection;
    if (held !== undefined) return { state: 'ERROR', detail: `${held}${others}` };
    if (this.#commandFault !== undefined) return { state: 'ERROR', detail: this.#commandFault };
    return this.#connection;
  }
}

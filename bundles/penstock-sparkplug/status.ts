import type { BundleCheck, BundleReport } from '../../daemon/software/bundle/runner/context.ts';
import type { LinkEnded } from '../mqtt/broker/broker-link.ts';
import { remedyOf } from '../mqtt/broker/remedy.ts';
import { toStatusLine } from '../mqtt/status-line.ts';

/** Report of the bundle, which replaces the one before. */
export interface NodeReport extends BundleReport {
  readonly detail: string;
  readonly counters: Readonly<Record<string, number>>;
  readonly checks: readonly BundleCheck[];
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
  readonly #brokers = new Map<string, BundleCheck>();
  #host: BundleCheck | undefined;

  count(name: Counter, amount = 1): void {
    this.#counts.set(name, (this.#counts.get(name) ?? 0) + amount);
  }

  /** Records that no connection is there, and when the next attempt follows. */
  setDisconnected(reason: string, isPermanent: boolean, delayMs?: number): void {
    const next = delayMs === undefined ? '' : `; next attempt in ${Math.ceil(delayMs / 1000)} s`;
    this.#connection = { state: isPermanent ? 'ERROR' : 'WARNING', detail: `${reason}${next}` };
  }

  /**
   * Records the newest result of a broker.
   *
   * @param end undefined: it accepted the connection
   */
  setBroker(url: string, end: LinkEnded | undefined): void {
    const name = `broker ${url}`;
    if (end === undefined) {
      this.#brokers.set(url, { name, state: 'OK', detail: 'connected' });
      return;
    }
    const state = end.isPermanent ? 'ERROR' : 'WARNING';
    const detail = end.message.startsWith(url)
      ? end.message.slice(url.length).replace(/^:? /, '')
      : end.message;
    this.#brokers.set(url, { name, state, detail, remedy: remedyOf(end) });
  }

  /** Records what is known of the primary host at a broker. */
  setHost(hostId: string, isOnline: boolean, detail: string): void {
    const name = `host ${hostId}`;
    this.#host = isOnline
      ? { name, state: 'OK', detail }
      : { name, state: 'WARNING', detail, remedy: HOST_REMEDY };
  }

  /** Forgets the results of all brokers and of the host. */
  forgetBrokers(): void {
    this.#brokers.clear();
    this.#host = undefined;
  }

  /** Records that the primary host is waited for. */
  setWaiting(url: string, hostId: string): void {
    this.setHost(hostId, false, `not online at ${url}`);
    this.#connection = { state: 'WARNING', detail: `connected to ${url}, waits for host "${hostId}"` };
  }

  /** Records that the node is born. */
  setBorn(url: string): void {
    this.#connection = { state: 'OK', detail: `connected to ${url}, born` };
  }

  /** Records that a recorder waits before it is tried again. */
  hold(recorder: string, reason: string, delayMs: number): void {
    this.#held.set(recorder, `${reason}; again in ${Math.ceil(delayMs / 1000)} s`);
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
      checks: this.#listChecks(),
    };
  }

  #listChecks(): readonly BundleCheck[] {
    const checks: readonly (BundleCheck | undefined)[] = [
      toCheck('settings', 'ERROR', this.#settingsFault, 'penstock bundle configure penstock-sparkplug'),
      ...this.#brokers.values(),
      this.#host,
      ...[...this.#held].map(([recorder, fault]) =>
        toCheck(`recorder ${recorder}`, 'ERROR', fault, RECORDER_REMEDY),
      ),
      toCheck('commands', 'WARNING', this.#commandFault, COMMAND_REMEDY),
    ];
    return checks
      .filter((check) => check !== undefined)
      .map(({ name, state, detail, remedy }) => ({
        name: toStatusLine(name).slice(0, 100),
        state,
        detail: toStatusLine(detail),
        remedy,
      }));
  }

  #gravest(): ConnectionState {
    if (this.#settingsFault !== undefined) return { state: 'ERROR', detail: this.#settingsFault };
    if (this.#connection.state !== 'OK') return this.#connection;
    const [held] = this.#held;
    const others = this.#held.size > 1 ? ` (and ${this.#held.size - 1} more)` : '';
    if (held !== undefined) return { state: 'ERROR', detail: `recorder "${held[0]}": ${held[1]}${others}` };
    if (this.#commandFault !== undefined) return { state: 'WARNING', detail: this.#commandFault };
    return this.#connection;
  }
}

const HOST_REMEDY =
  'compare "primaryHost" with the host ID of the host application, and check that it is at this broker';
const RECORDER_REMEDY =
  'compare "recorders" with penstock recorder list; set it with penstock bundle configure penstock-sparkplug';
const COMMAND_REMEDY = 'the audit names the refusal; see penstock bundle log penstock-sparkplug';

function toCheck(
  name: string,
  state: BundleCheck['state'],
  fault: string | undefined,
  remedy: string,
): BundleCheck | undefined {
  return fault === undefined ? undefined : { name, state, detail: fault, remedy };
}

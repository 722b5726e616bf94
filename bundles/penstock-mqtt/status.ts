import type { BundleCheck, BundleReport } from '../../daemon/software/bundle/runner/context.ts';
import type { LinkEnded } from '../mqtt/broker/broker-link.ts';
import { remedyOf } from '../mqtt/broker/remedy.ts';
import { toStatusLine } from '../mqtt/status-line.ts';

/** Report of the bundle, which replaces the one before. */
export interface SenderReport extends BundleReport {
  readonly detail: string;
  readonly counters: Readonly<Record<string, number>>;
  readonly checks: readonly BundleCheck[];
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
  /** Topics that the broker refuses. */
  readonly heldTopics: number;
}

/** Topics in the report, of those that are refused. */
const MAXIMUM_TOPICS = 8;

/** A topic that the broker refuses, and why. */
interface RefusedTopic {
  readonly topic: string;
  readonly reason: string;
}

interface RefusedTopics {
  readonly topics: readonly RefusedTopic[];
  /** When they are tried again. */
  readonly next: string;
}

/** Collects what the bundle reports of itself. */
export class SenderStatus {
  readonly #counts = new Map<Counter, number>(COUNTERS.map((name) => [name, 0]));
  #connection: ConnectionState = { state: 'WARNING', detail: 'not started' };
  #settingsFault: string | undefined;
  #commandFault: string | undefined;
  /** Reasons why recorders wait, by recorder. */
  readonly #held = new Map<string, string>();
  readonly #refused = new Map<string, RefusedTopics>();
  readonly #brokers = new Map<string, BundleCheck>();

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

  /**
   * Records the newest result of a broker.
   *
   * @param end undefined: it accepted the connection
   * @param isUsed true: its connection is the one that sends; false: it was tried as a spare one
   */
  setBroker(url: string, end: LinkEnded | undefined, isUsed: boolean): void {
    const name = `broker ${url}`;
    if (end === undefined) {
      const detail = isUsed ? 'connected' : 'accepts the connection; used if another one fails';
      this.#brokers.set(url, { name, state: 'OK', detail });
      return;
    }
    const state = end.isPermanent ? 'ERROR' : 'WARNING';
    this.#brokers.set(url, { name, state, detail: withoutUrl(end.message, url), remedy: remedyOf(end) });
  }

  /** Forgets the results of all brokers. */
  forgetBrokers(): void {
    this.#brokers.clear();
  }

  /** Records that a recorder waits before its messages are tried again. */
  hold(recorder: string, reason: string, delayMs: number): void {
    this.#held.set(recorder, `${reason}; again in ${Math.ceil(delayMs / 1000)} s`);
  }

  release(recorder: string): void {
    this.#held.delete(recorder);
  }

  /**
   * Records the topics of a recorder that are held.
   *
   * @param topics none: all are accepted
   * @param delayMs until they are tried again; undefined: others come first
   */
  setRefused(recorder: string, topics: readonly RefusedTopic[], delayMs?: number): void {
    const next = delayMs === undefined ? '' : `; again in ${Math.ceil(delayMs / 1000)} s`;
    if (topics.length === 0) this.#refused.delete(recorder);
    else this.#refused.set(recorder, { topics, next });
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
    return { state, detail: toStatusLine(detail), counters, checks: this.#listChecks() };
  }

  #listChecks(): readonly BundleCheck[] {
    const topics = [...this.#refused.values()].flatMap((refused) => refused.topics);
    const checks: readonly (BundleCheck | undefined)[] = [
      toCheck('settings', this.#settingsFault, 'penstock bundle configure penstock-mqtt'),
      ...this.#brokers.values(),
      ...[...this.#held].map(([recorder, reason]) =>
        toCheck(`recorder ${recorder}`, reason, RECORDER_REMEDY),
      ),
      ...topics
        .slice(0, MAXIMUM_TOPICS)
        .map(({ topic, reason }) => toCheck(`topic ${topic}`, reason, TOPIC_REMEDY)),
      toCheck('state and commands', this.#commandFault, TOPIC_REMEDY),
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
    const [held] = this.#held;
    const others = this.#held.size > 1 ? ` (and ${this.#held.size - 1} more)` : '';
    if (this.#connection.state !== 'OK') return this.#connection;
    if (held !== undefined) return { state: 'ERROR', detail: `recorder "${held[0]}": ${held[1]}${others}` };
    const [refused] = this.#refused;
    if (refused !== undefined) return { state: 'ERROR', detail: describeRefused(...refused) };
    if (this.#commandFault !== undefined) return { state: 'ERROR', detail: this.#commandFault };
    return this.#connection;
  }
}

const RECORDER_REMEDY =
  'compare "recorders" with penstock recorder list; set it with penstock bundle configure penstock-mqtt';
const TOPIC_REMEDY =
  'allow it in the access list of the broker, or change the topic: penstock bundle configure penstock-mqtt';

function toCheck(name: string, fault: string | undefined, remedy: string): BundleCheck | undefined {
  return fault === undefined ? undefined : { name, state: 'ERROR', detail: fault, remedy };
}

/** Drops the URL at the beginning of a message: the name of the check has it. */
function withoutUrl(message: string, url: string): string {
  return message.startsWith(url) ? message.slice(url.length).replace(/^:? /, '') : message;
}

function describeRefused(recorder: string, { topics, next }: RefusedTopics): string {
  const others = topics.length > 1 ? ` (and ${topics.length - 1} more topics)` : '';
  return `recorder "${recorder}": ${topics[0]?.reason ?? ''}${others}${next}`;
}

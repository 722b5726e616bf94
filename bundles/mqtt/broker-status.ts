import type { BundleCheck, BundleReport } from '../../daemon/software/bundle/runner/context.ts';
import type { LinkEnded } from './broker/broker-link.ts';
import { remedyOf } from './broker/remedy.ts';
import { toStatusLine } from './status-line.ts';

/** Report of a bundle, which replaces the one before. */
export interface BrokerReport extends BundleReport {
  readonly detail: string;
  readonly counters: Readonly<Record<string, number>>;
  readonly checks: readonly BundleCheck[];
}

/** A state in words. */
export interface StateText {
  readonly state: BrokerReport['state'];
  readonly detail: string;
}

/** What a bundle reports besides the state of its brokers and recorders. */
export interface OwnFindings {
  readonly checks: readonly (BundleCheck | undefined)[];
  /** The gravest fault; undefined: there is none. */
  readonly fault: StateText | undefined;
}

/** Collects what a bundle that sends to a broker reports of itself. */
export abstract class BrokerStatus<Counter extends string> {
  readonly #bundle: string;
  readonly #counts: Map<Counter, number>;
  #connection: StateText = { state: 'WARNING', detail: 'not started' };
  #settingsFault: string | undefined;
  /** Reasons why recorders wait, by recorder. */
  readonly #held = new Map<string, string>();
  readonly #brokers = new Map<string, BundleCheck>();

  /**
   * @param bundle name of the bundle
   * @param counters names of what is counted since the start of the process
   */
  constructor(bundle: string, counters: readonly Counter[]) {
    this.#bundle = bundle;
    this.#counts = new Map(counters.map((name) => [name, 0]));
  }

  count(name: Counter, amount = 1): void {
    this.#counts.set(name, (this.#counts.get(name) ?? 0) + amount);
  }

  /** Records that no connection is there, and when the next attempt follows. */
  setDisconnected(reason: string, isPermanent: boolean, delayMs?: number): void {
    const next = delayMs === undefined ? '' : `; next attempt in ${Math.ceil(delayMs / 1000)} s`;
    this.setConnection({ state: isPermanent ? 'ERROR' : 'WARNING', detail: `${reason}${next}` });
  }

  protected setConnection(connection: StateText): void {
    this.#connection = connection;
  }

  /**
   * Records the newest result of a broker.
   *
   * @param end undefined: it accepted the connection
   * @param accepted what that means
   */
  setBroker(url: string, end: LinkEnded | undefined, accepted = 'connected'): void {
    const name = `broker ${url}`;
    if (end === undefined) {
      this.#brokers.set(url, { name, state: 'OK', detail: accepted });
      return;
    }
    const state = end.isPermanent ? 'ERROR' : 'WARNING';
    this.#brokers.set(url, { name, state, detail: withoutUrl(end.message, url), remedy: remedyOf(end) });
  }

  /** Forgets the results of all brokers. */
  forgetBrokers(): void {
    this.#brokers.clear();
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

  /** Returns what the bundle reports besides brokers and recorders. */
  protected abstract findOwn(): OwnFindings;

  /**
   * Makes the report: the gravest fault, all counters, and all checks.
   *
   * @param levels amounts that are measured for each report
   */
  protected makeReport(levels: Readonly<Record<string, number>>): BrokerReport {
    const own = this.findOwn();
    const { state, detail } = this.#findGravest(own);
    return {
      state,
      detail: toStatusLine(detail),
      counters: { ...Object.fromEntries(this.#counts), ...levels },
      checks: this.#listChecks(own).map(toShown),
    };
  }

  #listChecks(own: OwnFindings): readonly BundleCheck[] {
    const configure = `penstock bundle configure ${this.#bundle}`;
    const recorderRemedy = `compare "recorders" with penstock recorder list; set it with ${configure}`;
    const checks = [
      toCheck('settings', 'ERROR', this.#settingsFault, configure),
      ...this.#brokers.values(),
      ...[...this.#held].map(([recorder, fault]) =>
        toCheck(`recorder ${recorder}`, 'ERROR', fault, recorderRemedy),
      ),
      ...own.checks,
    ];
    return checks.filter((check) => check !== undefined);
  }

  #findGravest({ fault }: OwnFindings): StateText {
    if (this.#settingsFault !== undefined) return { state: 'ERROR', detail: this.#settingsFault };
    if (this.#connection.state !== 'OK') return this.#connection;
    const [held] = this.#held;
    const others = this.#held.size > 1 ? ` (and ${this.#held.size - 1} more)` : '';
    if (held !== undefined) return { state: 'ERROR', detail: `recorder "${held[0]}": ${held[1]}${others}` };
    return fault ?? this.#connection;
  }
}

/** Returns a check with a fault; undefined: there is none. */
export function toCheck(
  name: string,
  state: BundleCheck['state'],
  fault: string | undefined,
  remedy: string,
): BundleCheck | undefined {
  return fault === undefined ? undefined : { name, state, detail: fault, remedy };
}

function toShown({ name, state, detail, remedy }: BundleCheck): BundleCheck {
  return { name: toStatusLine(name).slice(0, 100), state, detail: toStatusLine(detail), remedy };
}

/** Drops the URL at the beginning of a message: the name of the check has it. */
function withoutUrl(message: string, url: string): string {
  return message.startsWith(url) ? message.slice(url.length).replace(/^:? /, '') : message;
}

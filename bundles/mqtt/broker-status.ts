import type { BundleCheck, BundleReport } from '../../daemon/software/bundle/runner/context.ts';
import type { LinkEnded } from './broker/broker-link.ts';
import { remedyOf } from './broker/remedy.ts';
import { toStatusLine } from './status-line.ts';
import { addWords, toWords } from './words.ts';
import type { Words } from './words.ts';

const CONNECTED: Words = { en: 'connected', de: 'verbunden' };

/** Report of a bundle, which replaces the one before. */
export interface BrokerReport extends BundleReport {
  readonly detail: string;
  readonly counters: Readonly<Record<string, number>>;
  readonly checks: readonly BundleCheck[];
}

/** A state in words. */
export interface StateText {
  readonly state: BrokerReport['state'];
  readonly words: Words;
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
  #connection: StateText = {
    state: 'WARNING',
    words: { en: 'not started', de: 'nicht gestartet' },
  };
  #settingsFault: Words | undefined;
  /** Reasons why recorders wait, by recorder. */
  readonly #held = new Map<string, Words>();
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
  setDisconnected(reason: string | Words, isPermanent: boolean, delayMs?: number): void {
    const seconds = Math.ceil((delayMs ?? 0) / 1000);
    const next = { en: `; next attempt in ${seconds} s`, de: `; nächster Versuch in ${seconds} s` };
    const words = delayMs === undefined ? toWords(reason) : addWords(toWords(reason), next);
    this.setConnection({ state: isPermanent ? 'ERROR' : 'WARNING', words });
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
  setBroker(url: string, end: LinkEnded | undefined, accepted: Words = CONNECTED): void {
    const name = `broker ${url}`;
    if (end === undefined) {
      this.#brokers.set(url, toStatusCheck({ name, state: 'OK', detail: accepted }));
      return;
    }
    const state = end.isPermanent ? 'ERROR' : 'WARNING';
    const detail = { en: withoutUrl(end.words.en, url), de: withoutUrl(end.words.de, url) };
    this.#brokers.set(url, toStatusCheck({ name, state, detail, remedy: remedyOf(end) }));
  }

  /** Forgets the results of all brokers. */
  forgetBrokers(): void {
    this.#brokers.clear();
  }

  /** Records that a recorder waits before it is tried again. */
  hold(recorder: string, reason: string | Words, delayMs: number): void {
    this.#held.set(recorder, addWords(toWords(reason), describeRetry(delayMs)));
  }

  release(recorder: string): void {
    this.#held.delete(recorder);
  }

  /** @param fault undefined: the settings can be used */
  setSettingsFault(fault: string | Words | undefined): void {
    this.#settingsFault = fault === undefined ? undefined : toWords(fault);
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
    const { state, words } = this.#findGravest(own);
    return {
      state,
      detail: toStatusLine(words.en),
      ...(words.de === words.en ? {} : { de: { detail: toStatusLine(words.de) } }),
      counters: { ...Object.fromEntries(this.#counts), ...levels },
      checks: this.#listChecks(own).map(toShown),
    };
  }

  #listChecks(own: OwnFindings): readonly BundleCheck[] {
    const configure = `penstock bundle configure ${this.#bundle}`;
    const recorderRemedy = {
      en: `compare "recorders" with penstock recorder list; set it with ${configure}`,
      de: `Vergleichen Sie „recorders“ mit penstock recorder list; ändern Sie es mit ${configure}`,
    };
    const checks = [
      toCheck({ en: 'settings', de: 'Einstellungen' }, 'ERROR', this.#settingsFault, toWords(configure)),
      ...this.#brokers.values(),
      ...[...this.#held].map(([recorder, fault]) =>
        toCheck({ en: `recorder ${recorder}`, de: `Recorder ${recorder}` }, 'ERROR', fault, recorderRemedy),
      ),
      ...own.checks,
    ];
    return checks.filter((check) => check !== undefined);
  }

  #findGravest({ fault }: OwnFindings): StateText {
    if (this.#settingsFault !== undefined) return { state: 'ERROR', words: this.#settingsFault };
    if (this.#connection.state !== 'OK') return this.#connection;
    const [held] = this.#held;
    if (held !== undefined) return { state: 'ERROR', words: describeHeld(...held, this.#held.size - 1) };
    return fault ?? this.#connection;
  }
}

/** Returns a check with a fault; undefined: there is none. */
export function toCheck(
  name: string | Words,
  state: BundleCheck['state'],
  fault: string | Words | undefined,
  remedy: Words,
): BundleCheck | undefined {
  return fault === undefined ? undefined : toStatusCheck({ name, state, detail: toWords(fault), remedy });
}

interface WordedCheck {
  readonly name: string | Words;
  readonly state: BundleCheck['state'];
  readonly detail: Words;
  readonly remedy?: Words;
}

/** Returns a check in both languages. */
export function toStatusCheck({ name, state, detail, remedy }: WordedCheck): BundleCheck {
  const names = toWords(name);
  return {
    name: names.en,
    state,
    detail: detail.en,
    ...(remedy === undefined ? {} : { remedy: remedy.en }),
    de: { name: names.de, detail: detail.de, ...(remedy === undefined ? {} : { remedy: remedy.de }) },
  };
}

/** Returns when something is tried again. */
export function describeRetry(delayMs: number): Words {
  const seconds = Math.ceil(delayMs / 1000);
  return { en: `; again in ${seconds} s`, de: `; erneut in ${seconds} s` };
}

function describeHeld(recorder: string, words: Words, others: number): Words {
  const held = { en: `recorder "${recorder}": ${words.en}`, de: `Recorder „${recorder}“: ${words.de}` };
  return others === 0
    ? held
    : addWords(held, { en: ` (and ${others} more)`, de: ` (und ${others} weitere)` });
}

function toShown({ name, state, detail, remedy, de = {} }: BundleCheck): BundleCheck {
  return {
    name: toStatusLine(name).slice(0, 100),
    state,
    detail: toStatusLine(detail),
    remedy,
    de: {
      name: toStatusLine(de.name ?? name).slice(0, 100),
      detail: toStatusLine(de.detail ?? detail),
      ...(de.remedy === undefined ? {} : { remedy: toStatusLine(de.remedy) }),
    },
  };
}

/** Drops the URL at the beginning of a message: the name of the check has it. */
function withoutUrl(message: string, url: string): string {
  return message.startsWith(url) ? message.slice(url.length).replace(/^:? /, '') : message;
}

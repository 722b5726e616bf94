import type { BundleCheck, BundleReport } from './context.ts';
import type { GatewayLink } from './gateway-link.ts';

const INTERVAL_MS = 1000;
const MAXIMUM_DETAIL_LENGTH = 200;
const MAXIMUM_NAME_LENGTH = 100;
const MAXIMUM_COUNTERS = 32;
const MAXIMUM_CHECKS = 32;
const STATES: readonly unknown[] = ['OK', 'WARNING', 'ERROR'] satisfies readonly BundleReport['state'][];
const COUNTER_NAME = /^[a-z][A-Za-z0-9]{0,47}$/;

/** Sends the newest report of the bundle, once a second at most. */
export class StatusSender {
  readonly #gateway: GatewayLink;
  #waiting: BundleReport | undefined;
  #timer: NodeJS.Timeout | undefined;

  constructor(gateway: GatewayLink) {
    this.#gateway = gateway;
  }

  /** @throws {TypeError} for a report with another form */
  report(report: BundleReport): void {
    this.#waiting = toSent(report);
    if (this.#timer !== undefined) return;
    this.#send();
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      if (this.#waiting !== undefined) this.report(this.#waiting);
    }, INTERVAL_MS).unref();
  }

  #send(): void {
    const { state, detail, counters, checks, de } = this.#waiting ?? {};
    this.#waiting = undefined;
    if (state !== undefined) {
      this.#gateway.notify('status', {
        state,
        detail,
        counters,
        checks: checks && [...checks],
        ...(de && { de }),
      });
    }
  }
}

function toSent({ state, detail, counters, checks, de }: BundleReport): BundleReport {
  if (!STATES.includes(state)) throw new TypeError('expected the state OK, WARNING or ERROR');
  const entries = Object.entries(counters ?? {});
  if (entries.length > MAXIMUM_COUNTERS) throw new TypeError(`expected at most ${MAXIMUM_COUNTERS} counters`);
  for (const [name, value] of entries) {
    if (!COUNTER_NAME.test(name)) throw new TypeError(`the counter "${name}" has no camelCase name`);
    if (!Number.isFinite(value)) throw new TypeError(`the counter "${name}" is not a number`);
  }
  return {
    state,
    ...(detail === undefined ? {} : { detail: toLine(detail) }),
    ...(de === undefined ? {} : { de: { detail: toLine(de.detail) } }),
    ...(counters === undefined ? {} : { counters: Object.fromEntries(entries) }),
    ...(checks === undefined ? {} : { checks: checks.slice(0, MAXIMUM_CHECKS).map(toSentCheck) }),
  };
}

function toSentCheck({ name, state, detail, remedy, de }: BundleCheck): BundleCheck {
  const shown = toLine(name).slice(0, MAXIMUM_NAME_LENGTH);
  if (shown === '' || !STATES.includes(state))
    throw new TypeError(`the check "${shown}" needs a name and the state OK, WARNING or ERROR`);
  return {
    name: shown,
    state,
    detail: toLine(detail),
    ...(remedy === undefined ? {} : { remedy: toLine(remedy) }),
    ...(de === undefined ? {} : { de: toSentWords(de) }),
  };
}

function toSentWords({ name, detail, remedy }: NonNullable<BundleCheck['de']>): BundleCheck['de'] {
  return {
    ...(name === undefined ? {} : { name: toLine(name).slice(0, MAXIMUM_NAME_LENGTH) }),
    ...(detail === undefined ? {} : { detail: toLine(detail) }),
    ...(remedy === undefined ? {} : { remedy: toLine(remedy) }),
  };
}

function toLine(text: string): string {
  return text.replaceAll(/\s+/g, ' ').trim().slice(0, MAXIMUM_DETAIL_LENGTH);
}

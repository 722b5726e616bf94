import type { BundleCheck } from '../../daemon/software/bundle/runner/context.ts';
import { BrokerStatus, toCheck, toStatusCheck } from '../mqtt/broker-status.ts';
import type { BrokerReport, OwnFindings } from '../mqtt/broker-status.ts';
import { toWords } from '../mqtt/words.ts';
import type { Words } from '../mqtt/words.ts';

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

/** Collects what the bundle reports of itself. */
export class NodeStatus extends BrokerStatus<Counter> {
  #commandFault: Words | undefined;
  #host: BundleCheck | undefined;

  constructor() {
    super('penstock-sparkplug', COUNTERS);
  }

  /** Records what is known of the primary host at a broker. */
  setHost(hostId: string, isOnline: boolean, words: string | Words): void {
    const detail = toWords(words);
    const name = { en: `host ${hostId}`, de: `Host ${hostId}` };
    this.#host = isOnline
      ? toStatusCheck({ name, state: 'OK', detail })
      : toStatusCheck({ name, state: 'WARNING', detail, remedy: HOST_REMEDY });
  }

  /** Forgets the results of all brokers and of the host. */
  override forgetBrokers(): void {
    super.forgetBrokers();
    this.#host = undefined;
  }

  /** Records that the primary host is waited for. */
  setWaiting(url: string, hostId: string): void {
    this.setHost(hostId, false, { en: `not online at ${url}`, de: `nicht online an ${url}` });
    const words = {
      en: `connected to ${url}, waits for host "${hostId}"`,
      de: `verbunden mit ${url}, wartet auf Host „${hostId}“`,
    };
    this.setConnection({ state: 'WARNING', words });
  }

  /** Records that the node is born. */
  setBorn(url: string): void {
    const words = { en: `connected to ${url}, born`, de: `verbunden mit ${url}, angemeldet` };
    this.setConnection({ state: 'OK', words });
  }

  /** @param fault of the last command; undefined: it was carried out */
  setCommandFault(fault: string | Words | undefined): void {
    this.#commandFault = fault === undefined ? undefined : toWords(fault);
  }

  report(levels: Levels): BrokerReport {
    return this.makeReport({ ...levels });
  }

  protected override findOwn(): OwnFindings {
    const words = this.#commandFault;
    return {
      checks: [this.#host, toCheck({ en: 'commands', de: 'Befehle' }, 'WARNING', words, COMMAND_REMEDY)],
      fault: words === undefined ? undefined : { state: 'WARNING', words },
    };
  }
}

const HOST_REMEDY = {
  en: 'compare "primaryHost" with the host ID of the host application, and check that it is at this broker',
  de: 'Vergleichen Sie „primaryHost“ mit der Host ID der Host-Anwendung, und prüfen Sie, ob sie an diesem Broker ist',
};
const COMMAND_REMEDY = {
  en: 'the audit names the refusal; see penstock bundle log penstock-sparkplug',
  de: 'Das Audit nennt die Ablehnung; siehe penstock bundle log penstock-sparkplug',
};

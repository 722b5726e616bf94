import type { BundleCheck } from '../../daemon/software/bundle/runner/context.ts';
import { BrokerStatus, toCheck } from '../mqtt/broker-status.ts';
import type { BrokerReport, OwnFindings } from '../mqtt/broker-status.ts';

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
  #commandFault: string | undefined;
  #host: BundleCheck | undefined;

  constructor() {
    super('penstock-sparkplug', COUNTERS);
  }

  /** Records what is known of the primary host at a broker. */
  setHost(hostId: string, isOnline: boolean, detail: string): void {
    const name = `host ${hostId}`;
    this.#host = isOnline
      ? { name, state: 'OK', detail }
      : { name, state: 'WARNING', detail, remedy: HOST_REMEDY };
  }

  /** Forgets the results of all brokers and of the host. */
  override forgetBrokers(): void {
    super.forgetBrokers();
    this.#host = undefined;
  }

  /** Records that the primary host is waited for. */
  setWaiting(url: string, hostId: string): void {
    this.setHost(hostId, false, `not online at ${url}`);
    this.setConnection({ state: 'WARNING', detail: `connected to ${url}, waits for host "${hostId}"` });
  }

  /** Records that the node is born. */
  setBorn(url: string): void {
    this.setConnection({ state: 'OK', detail: `connected to ${url}, born` });
  }

  /** @param fault of the last command; undefined: it was carried out */
  setCommandFault(fault: string | undefined): void {
    this.#commandFault = fault;
  }

  report(levels: Levels): BrokerReport {
    return this.makeReport({ ...levels });
  }

  protected override findOwn(): OwnFindings {
    const detail = this.#commandFault;
    return {
      checks: [this.#host, toCheck('commands', 'WARNING', detail, COMMAND_REMEDY)],
      fault: detail === undefined ? undefined : { state: 'WARNING', detail },
    };
  }
}

const HOST_REMEDY =
  'compare "primaryHost" with the host ID of the host application, and check that it is at this broker';
const COMMAND_REMEDY = 'the audit names the refusal; see penstock bundle log penstock-sparkplug';

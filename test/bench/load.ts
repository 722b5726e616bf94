import type { ChildProcess } from 'node:child_process';

import type { Owner } from '../support/temporary-directory.ts';
import type { Clients, HandshakeResult, LoadResult } from './load-process.ts';
import { cpuMicrosecondsBetween, pin, readCpuTime } from './process-usage.ts';
import type { TlsClient } from './raw-connection.ts';
import { startRemote } from './remote.ts';
import type { Remote } from './remote.ts';
import { divideRounds, median } from './statistics.ts';

/** The results that clients saw, and their cost for the server. */
export interface Measured extends LoadResult {
  /** Processor time of the server, all its threads, per request of all clients. */
  readonly cpuUsPerRequest: number;
  /** Processor time of the clients per request of all of them. */
  readonly clientUsPerRequest: number;
}

/** Counts of all runs of a benchmark. */
export interface Tally {
  requests: number;
  failures: number;
}

/** Whatever has a process number. */
export type Server = Pick<ChildProcess, 'pid'> | Pick<Remote, 'pid'>;

/** Clients whose connections stay open until the end of their owner. */
export interface OpenedClients {
  readonly id: number;
}

/** Sends requests from its own process. */
export class Load {
  readonly #remote: Remote;
  readonly #tally: Tally;

  private constructor(remote: Remote, tally: Tally) {
    this.#remote = remote;
    this.#tally = tally;
  }

  static async start(t: Owner, tally: Tally): Promise<Load> {
    const remote = await startRemote(t, 'load-process.ts');
    pin(remote.pid, 'client');
    return new Load(remote, tally);
  }

  async open(t: Owner, clients: Clients): Promise<OpenedClients> {
    const id = await this.#remote.call<number>('open', clients);
    t.after(() => this.#remote.call('close', id));
    return { id };
  }

  /**
   * Runs clients for a while; with a duration of 0 each of them sends one request.
   *
   * @param measured the clients whose requests count
   * @param beside clients that work at the same time
   */
  async run(
    server: Server,
    durationMs: number,
    measured: OpenedClients,
    beside: readonly OpenedClients[] = [],
  ): Promise<Measured> {
    const pid = server.pid ?? 0;
    const list = [measured, ...beside].map(({ id }) => id);
    const before = readCpuTime(pid);
    const clientBefore = readCpuTime(this.#remote.pid);
    const results = await this.#remote.call<readonly LoadResult[]>('run', { list, durationMs });
    const cpuUs = cpuMicrosecondsBetween(before, readCpuTime(pid));
    const clientUs = cpuMicrosecondsBetween(clientBefore, readCpuTime(this.#remote.pid));
    const [result] = results;
    if (result === undefined) throw new RangeError('no clients');
    let requests = 0;
    for (const each of results) {
      requests += each.requests;
      this.#tally.requests += each.requests;
      this.#tally.failures += each.failures + each.refused;
    }
    return { ...result, cpuUsPerRequest: cpuUs / requests, clientUsPerRequest: clientUs / requests };
  }

  /** Opens and closes TLS connections, without a request on them. */
  async handshake(
    server: Server,
    client: TlsClient,
    { request, isResumed, durationMs }: { request: string; isResumed: boolean; durationMs: number },
  ): Promise<{ readonly cpuUs: number; readonly perSecond: number }> {
    const before = readCpuTime(server.pid ?? 0);
    const parameters = { client, request, isResumed, durationMs };
    const result = await this.#remote.call<HandshakeResult>('handshake', parameters);
    const { handshakes, resumed, seconds } = result;
    const cpuUs = cpuMicrosecondsBetween(before, readCpuTime(server.pid ?? 0)) / handshakes;
    this.#tally.requests += handshakes;
    if (isResumed) this.#tally.failures += handshakes - resumed;
    return { cpuUs, perSecond: handshakes / seconds };
  }
}

/** The comparable figures of a run. */
export type Figure = 'cpuUsPerRequest' | 'p50Us' | 'p99Us' | 'perSecond';

/** Returns the median over the rounds of one of their figures. */
export function medianOf(rounds: readonly Measured[], figure: Figure): number {
  return median(figuresOf(rounds, figure));
}

/** Returns one of the figures of each round. */
export function figuresOf(rounds: readonly Measured[], figure: Figure): readonly number[] {
  return rounds.map((round) => read(round, figure));
}

/** Returns the ratio within each round, so that a slow round does not distort it. */
export function ratiosOf(
  rounds: readonly Measured[],
  others: readonly Measured[],
  figure: Figure,
): readonly number[] {
  return divideRounds(figuresOf(rounds, figure), figuresOf(others, figure));
}

function read(round: Measured, figure: Figure): number {
  return figure === 'perSecond' ? round.requests / round.seconds : round[figure];
}

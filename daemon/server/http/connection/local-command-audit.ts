import type { Socket } from 'node:net';

import type { AuditReport } from '../../../security/audit/audit-event.ts';

/** Requests of one connection over the local socket, audited as one event. */
interface CommandUse {
  /** First request without its own event; undefined until there is one. */
  first: AuditReport | undefined;
  outcome: AuditReport['outcome'];
  requests: number;
  readonly otherTargets: Set<string>;
  /** True if a request had its own event, which covers the connection. */
  isShown: boolean;
  readonly sinceMs: number;
}

// A client that keeps its connection is recorded once a minute.
const MAXIMUM_DURATION_MS = 60_000;
const MAXIMUM_TARGETS = 5;

/**
 * Merges the requests of one connection over the local socket into one audit event: a command sends several requests over
 * one connection.
 */
export class LocalCommandAudit {
  readonly #record: (report: AuditReport) => void;
  readonly #monotonicMs: () => number;
  readonly #uses = new WeakMap<Socket, CommandUse>();

  constructor(record: (report: AuditReport) => void, monotonicMs: () => number) {
    this.#record = record;
    this.#monotonicMs = monotonicMs;
  }

  /** Notes a request without an event of its own; it is recorded with the others when the connection ends. */
  note(socket: Socket, report: AuditReport): void {
    const use = this.#find(socket);
    use.requests += 1;
    // Requests that a command sends after a failure, for a better message, do not hide it.
    if (report.outcome === 'FAILURE') use.outcome = 'FAILURE';
    if (use.first === undefined) use.first = report;
    else if (report.target !== undefined && report.target !== use.first.target) {
      use.otherTargets.add(report.target);
    }
    if (socket.destroyed) this.#end(socket);
  }

  /** Marks the connection as covered by the event of one of its requests. */
  show(socket: Socket): void {
    this.#find(socket).isShown = true;
  }

  #find(socket: Socket): CommandUse {
    const known = this.#uses.get(socket);
    const nowMs = this.#monotonicMs();
    if (known !== undefined && nowMs - known.sinceMs < MAXIMUM_DURATION_MS) return known;
    if (known === undefined) socket.once('close', () => this.#end(socket));
    else this.#end(socket);
    const use: CommandUse = {
      first: undefined,
      outcome: 'SUCCESS',
      requests: 0,
      otherTargets: new Set(),
      isShown: false,
      sinceMs: nowMs,
    };
    this.#uses.set(socket, use);
    return use;
  }

  #end(socket: Socket): void {
    const use = this.#uses.get(socket);
    this.#uses.delete(socket);
    if (use?.first === undefined || use.isShown) return;
    const { first, outcome, requests, otherTargets } = use;
    const detail = requests === 1 ? {} : { requests, ...describeTargets(otherTargets) };
    this.#record({ ...first, outcome, detail: { ...first.detail, ...detail } });
  }
}

function describeTargets(targets: ReadonlySet<string>): NonNullable<AuditReport['detail']> {
  if (targets.size === 0) return {};
  const shown = [...targets].slice(0, MAXIMUM_TARGETS);
  const others = targets.size - shown.length;
  return { otherTargets: `${shown.join(', ')}${others > 0 ? ` and ${others} more` : ''}` };
}

import { raceWithAbort } from '../../../daemon/base/sharing/race-with-abort.ts';
import { resolveNodeId } from '../value/node-id.ts';
import type { NodeIdText } from '../value/node-id.ts';

export interface NamespacesOptions {
  /** URIs in the order of the NamespaceArray. */
  readonly uris: readonly string[];
  /** Reads the NamespaceArray of the server. */
  readonly read: () => Promise<unknown>;
  readonly clock: { monotonicMs(): number };
  /** Minimum time between two reads. */
  readonly paceMs: number;
  /** Called when a namespace index has changed: everything known about nodes is invalid. */
  readonly onRenumbered: () => void;
}

/**
 * Namespace indexes of a server in one session. A server may add namespaces during a session, for example when its
 * device connects; existing indexes change only between sessions (OPC 10000-3, 5.2.2).
 */
export class Namespaces {
  readonly #options: NamespacesOptions;
  #uris: readonly string[];
  #askedMs: number;
  #asking: Promise<void> | undefined;

  constructor(options: NamespacesOptions) {
    this.#options = options;
    this.#uris = options.uris;
    this.#askedMs = options.clock.monotonicMs();
  }

  /** URIs in the order of the NamespaceArray; a new array when the server added some. */
  get uris(): readonly string[] {
    return this.#uris;
  }

  /** Returns a NodeId with its namespace index; undefined if the server is not known to have the namespace. */
  resolve(nodeId: NodeIdText): string | undefined {
    return resolveNodeId(nodeId, this.#uris);
  }

  /** Reads the NamespaceArray again if the namespace of a node is unknown, at a limited rate. Never throws. */
  async learn(nodeIds: readonly NodeIdText[], signal: AbortSignal): Promise<void> {
    if (nodeIds.every((nodeId) => this.resolve(nodeId) !== undefined)) return;
    const { clock, paceMs } = this.#options;
    if (this.#asking === undefined) {
      if (clock.monotonicMs() - this.#askedMs < paceMs) return;
      this.#asking = this.#ask();
    }
    // A caller that aborts sees it in its next call.
    await raceWithAbort(this.#asking, signal).catch(() => undefined);
  }

  async #ask(): Promise<void> {
    const { read, clock, onRenumbered } = this.#options;
    try {
      const answer = await read();
      if (!Array.isArray(answer)) return;
      const uris = answer.map(String);
      const isSame = this.#uris.every((uri, index) => uris[index] === uri);
      if (isSame && uris.length > this.#uris.length) this.#uris = uris;
      if (!isSame) onRenumbered();
    } catch {
      // The namespaces stay unknown; a lost link shows in later calls.
    } finally {
      this.#askedMs = clock.monotonicMs();
      this.#asking = undefined;
    }
  }
}

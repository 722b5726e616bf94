import { raceWithAbort } from '../../../daemon/base/sharing/race-with-abort.ts';
import { resolveNodeId } from '../value/node-id.ts';
import type { NodeIdText } from '../value/node-id.ts';

export interface NamespacesOptions {
  /** URIs in the order of the NamespaceArray. */
  readonly uris: readonly string[];
  /** Asks the server for its NamespaceArray. */
  readonly read: () => Promise<unknown>;
  readonly clock: { monotonicMs(): number };
  /** Least time between two questions. */
  readonly paceMs: number;
  /** Called when a namespace has another number than before: what is known of nodes holds no longer. */
  readonly onRenumbered: () => void;
}

/**
 * The namespaces of a server as one session numbers them. A server may get more of them while the session stays, as when
 * its device is connected; their numbers change with another session only (OPC 10000-3, 5.2.2).
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

  /** URIs in the order of the NamespaceArray; another array when the server got more. */
  get uris(): readonly string[] {
    return this.#uris;
  }

  /** Returns a NodeId with the number of its namespace; undefined when the server is not known to have that. */
  resolve(nodeId: NodeIdText): string | undefined {
    return resolveNodeId(nodeId, this.#uris);
  }

  /** Asks the server again when the namespace of a node is not known, at most once in a while. Never throws. */
  async learn(nodeIds: readonly NodeIdText[], signal: AbortSignal): Promise<void> {
    if (nodeIds.every((nodeId) => this.resolve(nodeId) !== undefined)) return;
    const { clock, paceMs } = this.#options;
    if (this.#asking === undefined) {
      if (clock.monotonicMs() - this.#askedMs < paceMs) return;
      this.#asking = this.#ask();
    }
    // Who gives up learns it from the call that follows.
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
      // The namespaces stay unknown; a link that is lost shows in the calls.
    } finally {
      this.#askedMs = clock.monotonicMs();
      this.#asking = undefined;
    }
  }
}

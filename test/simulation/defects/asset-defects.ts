import type { PlantedDefect } from './planted-defect.ts';

/** Defects of assets, their listeners, and their connections. */
export const ASSET_DEFECTS: readonly PlantedDefect[] = [
  {
    name: 'asset-read-joins-round-under-way',
    file: 'daemon/plant/asset/read/read-selection.ts',
    search: 'this.#next ??= this.#startNext(this.#running);',
    replace: `if (this.#running !== undefined) return this.#running;
    this.#next ??= this.#startNext(this.#running);`,
    invariants: ['true-value'],
  },
  {
    name: 'asset-values-kept-after-write',
    file: 'daemon/plant/asset/asset.ts',
    search: `for (const selection of this.#selections.values()) selection.forgetLatest();
    this.#all?.forgetLatest();`,
    replace: '',
    invariants: ['true-value'],
  },
  {
    name: 'asset-values-kept-too-long',
    file: 'daemon/plant/asset/read/read-selection.ts',
    search: 'this.#clock.monotonicMs() - latest.startedAtMs <= maxAgeMs',
    replace: 'this.#clock.monotonicMs() - latest.startedAtMs <= 60 * maxAgeMs',
    invariants: ['true-value'],
  },
  {
    name: 'asset-record-of-another-channel',
    file: 'daemon/plant/asset/read/read-selection.ts',
    search: "if (!('scaling' in slot)) return { ...slot, timestampMs: nowMs };",
    replace: `if (!('scaling' in slot)) {
        index += 1;
        return { ...slot, timestampMs: nowMs };
      }`,
    invariants: ['true-value', 'recovery'],
  },
  {
    name: 'asset-scale-not-undone',
    file: 'daemon/plant/asset/scaling.ts',
    search: 'if (scaleOnWrite) return createScaling(channel);',
    replace: 'if (scaleOnWrite && channel.valueScale === 1) return createScaling(channel);',
    invariants: ['write-once'],
  },
  {
    name: 'asset-offset-lost',
    file: 'daemon/plant/asset/scaling.ts',
    search: 'valueOffset === 0 ? product : product + valueOffset;',
    replace: 'product;',
    invariants: ['true-value'],
  },
  {
    name: 'asset-places-never-free',
    file: 'daemon/plant/asset/asset.ts',
    search: 'const left = (this.#operations.get(requester) ?? 0) - 1;',
    replace: 'const left = this.#operations.get(requester) ?? 0;',
    invariants: ['recovery', 'answer-shape', 'newest-value'],
  },
  {
    name: 'listener-no-change-is-news',
    file: 'daemon/plant/asset/write/record-change.ts',
    search: 'return isBeyond(previous.value, current.value, deadband);',
    replace: 'return isBeyond(previous.value, current.value, Infinity + deadband);',
    invariants: ['newest-value'],
  },
  {
    name: 'listener-never-leaves',
    file: 'daemon/plant/asset/read/subscription.ts',
    search: 'feed.stop();\n        leave();',
    replace: 'feed.stop();',
    invariants: ['nothing-left'],
  },
  {
    name: 'listener-resumes-at-the-end',
    file: 'daemon/plant/asset/read/subscriber-feed.ts',
    search: 'this.#position = position;\n    this.pump();',
    replace: 'this.#position = Math.max(position, this.#options.history.end);\n    this.pump();',
    invariants: ['newest-value'],
  },
  {
    name: 'listener-not-told-of-unknown-id',
    file: 'daemon/plant/asset/read/subscription.ts',
    search: "if (request.lastEventId !== undefined) feed.sendGap('ID_UNKNOWN');",
    replace: '',
    invariants: ['newest-value'],
  },
  {
    name: 'listener-not-told-of-dropped-changes',
    file: 'daemon/plant/asset/read/subscriber-feed.ts',
    search: "this.sendGap('HISTORY_EXCEEDED');\n        this.sendSnapshot();\n        return;",
    replace: 'this.#position = history.start;',
    invariants: ['newest-value'],
  },
  {
    name: 'listener-interval-never-over',
    file: 'daemon/plant/asset/read/subscriber-feed.ts',
    search: 'this.#cancelWait = undefined;\n      this.pump();',
    replace: 'this.pump();',
    invariants: ['newest-value'],
  },
  {
    name: 'poll-ends-with-second-listener',
    file: 'daemon/plant/asset/read/polling-source.ts',
    search: 'this.#isRunning = false;\n      this.#planNext(startedAtMs);',
    replace: 'this.#planNext(startedAtMs);',
    invariants: ['newest-value', 'recovery'],
  },
  {
    name: 'connection-deadline-not-cancelled',
    file: 'daemon/plant/asset/connection/driver-connection.ts',
    search: `if (!isRepeated) throw error;
        }
      }
    } finally {
      cancel();
    }`,
    replace: `if (!isRepeated) throw error;
        }
      }
    } finally {
      void cancel;
    }`,
    invariants: ['nothing-left'],
  },
  {
    name: 'connection-back-off-without-end',
    file: 'daemon/plant/asset/connection/backoff.ts',
    search: 'Math.min(MAXIMUM_DELAY_MS, FIRST_DELAY_MS * 2 ** Math.min(failures - 1, 10));',
    replace: 'Math.max(MAXIMUM_DELAY_MS, FIRST_DELAY_MS * 2 ** Math.min(failures - 1, 10));',
    invariants: ['recovery', 'newest-value'],
  },
  {
    name: 'connection-lost-and-not-dropped',
    file: 'daemon/plant/asset/connection/driver-connection.ts',
    search: 'await (isRepeated ? this.#dropLink(error) : this.#onFailure(error));',
    replace: 'this.#noteError(error);',
    invariants: ['recovery', 'newest-value'],
  },
  {
    name: 'connection-attempt-never-ends',
    file: 'daemon/plant/asset/connection/driver-connection.ts',
    search:
      'this.#connecting ??= this.#connect().finally(() => {\n      this.#connecting = undefined;\n    });',
    replace: 'this.#connecting ??= this.#connect();',
    invariants: ['recovery', 'newest-value'],
  },
  {
    name: 'listener-given-values-of-a-longer-interval',
    file: 'daemon/plant/asset/read/subscription.ts',
    search:
      "return this.#source.mode === 'POLL' || this.#intervalMs > intervalMs || !this.#latest.has(name);",
    replace: "return this.#source.mode === 'POLL' || (intervalMs >= 0 && !this.#latest.has(name));",
    invariants: ['newest-value', 'true-value'],
  },
];

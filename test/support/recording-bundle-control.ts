import type { Bundle, BundleControl, BundleId } from '../../daemon/software/bundle/bundle.ts';
import type { BundleState } from '../../daemon/interface/software/bundle.ts';

/** Runs nothing, and records the calls. */
export class RecordingBundleControl implements BundleControl {
  /** The calls, in order: `start a 1.0.0`, `stop a 1.0.0`. */
  readonly calls: string[] = [];
  readonly running = new Map<string, Bundle>();
  /** Reasons why bundles of these names do not stay up. */
  readonly failures = new Map<string, string>();
  /** Symbolic names of bundles of which it never becomes known whether they stay up. */
  readonly hanging = new Set<string>();

  async start(bundle: Bundle): Promise<void> {
    const key = toKey(bundle.id);
    this.calls.push(`start ${key}`);
    const failure = this.failures.get(bundle.id.name) ?? this.failures.get(key);
    if (failure !== undefined) throw new Error(failure);
    this.running.set(key, bundle);
    if (this.hanging.has(bundle.id.name)) await new Promise<never>(() => undefined);
  }

  stop(id: BundleId): Promise<void> {
    this.calls.push(`stop ${toKey(id)}`);
    this.running.delete(toKey(id));
    return Promise.resolve();
  }

  removeData(name: string): Promise<void> {
    this.calls.push(`removeData ${name}`);
    return Promise.resolve();
  }

  stateOf(id: BundleId): BundleState {
    return this.running.has(toKey(id)) ? 'ACTIVE' : 'INSTALLED';
  }
}

function toKey({ name, version }: BundleId): string {
  return `${name} ${version}`;
}

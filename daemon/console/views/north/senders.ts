import type { Bundle } from '../../../interface/software/bundles.ts';
import type { HistoryOverview } from '../../../interface/plant/history.ts';

/** Position of a reader in the journal. */
export type Consumer = NonNullable<HistoryOverview['consumers']>[number];

/** Reader of the journal under the name that is shown. */
export interface NamedReader {
  readonly name: string;
  readonly position: Consumer;
}

/** Bundle that sends recorded samples. */
export interface Sender {
  readonly bundle: Bundle;
  /** Named by their recorders. */
  readonly readers: readonly NamedReader[];
}

/** Bundles that send, and the readers of the journal that belong to none of them. */
export interface Senders {
  /** Most severe first. */
  readonly senders: readonly Sender[];
  readonly others: readonly Consumer[];
}

// Present before they have read or reported anything, for example while they wait for their settings.
const SHIPPED: ReadonlySet<string> = new Set(['penstock-mqtt', 'penstock-sparkplug']);

/**
 * Assigns the readers of the journal, `bundle:NAME/RECORDER`, to the installed bundles. A bundle is a sender if it reads the
 * journal, reports checks, or is one of the packages of the gateway that send.
 */
export function findSenders(bundles: readonly Bundle[], consumers: readonly Consumer[]): Senders {
  const all = bundles.map((bundle): Sender => {
    const prefix = `bundle:${bundle.name}/`;
    const own = consumers.filter(({ consumer }) => consumer.startsWith(prefix));
    return {
      bundle,
      readers: own.map((position) => ({ name: position.consumer.slice(prefix.length), position })),
    };
  });
  const senders = all.filter(
    ({ bundle: { name, status }, readers }) =>
      readers.length > 0 || (status?.checks ?? []).length > 0 || SHIPPED.has(name),
  );
  const assigned = new Set(
    senders.flatMap(({ readers }) => readers.map(({ position }) => position.consumer)),
  );
  return {
    senders: senders.toSorted((left, right) => severityOf(right) - severityOf(left)),
    others: consumers.filter(({ consumer }) => !assigned.has(consumer)),
  };
}

const SEVERITIES = { OK: 0, WARNING: 1, ERROR: 2 } as const;

function severityOf({ bundle: { state, status } }: Sender): number {
  if (state === 'FAILED') return 3;
  return status === undefined ? 1 : SEVERITIES[status.state];
}

import { delay } from '../../../daemon/base/clock.ts';
import { Listening } from './listening.ts';
import type { ListeningParts, ListenWish } from './listening.ts';
import { createPerson } from './person.ts';
import type { Person } from './person.ts';

interface ListenerParts extends ListeningParts {
  /** Assets to which several people listen. */
  readonly favourites: readonly string[];
  /** Whether it listens for days in calm times, where others leave after a while. */
  readonly isPatient: boolean;
}

const INTERVALS_MS = [5000, 60_000, 60_000, 600_000, 3_600_000] as const;
const CALM_INTERVALS_MS = [600_000, 1_800_000] as const;
// While the gateway still follows the channels for whoever has gone.
const SHORT_ABSENCE_MS = 25_000;

/**
 * Creates a client that listens to an asset or some of its channels for a while, leaves, and comes back soon or later, with or
 * without the id of its last event.
 */
export function createListener(parts: ListenerParts): Person {
  const { time, random, client, model, favourites, isPatient } = parts;
  const listening = new Listening(parts);
  const intervalsMs = (): readonly number[] =>
    time.tempo.isLively(time.monotonicMs()) ? INTERVALS_MS : CALM_INTERVALS_MS;
  const isTooQuick = ({ intervalMs }: ListenWish): boolean => intervalMs < Math.min(...intervalsMs());
  let isGone = false;

  return createPerson(
    { ...parts, isHurried: () => listening.isOpen && !isPatient },
    () => {
      if (!listening.isOpen) begin();
      else if (listening.last !== undefined && isTooQuick(listening.last)) listening.leave();
      else {
        listening.checkNewest();
        if (random.chance(0.3)) leave();
        else if (random.chance(0.1)) listening.lag(random.integer(1000, 20_000));
      }
      return Promise.resolve();
    },
    () => {
      isGone = true;
      listening.leave();
      client.close();
    },
  );

  function begin(): void {
    if (listening.last !== undefined && random.chance(0.5) && !isTooQuick(listening.last)) listening.resume();
    else listening.begin(drawWish());
  }

  function drawWish(): ListenWish {
    const { pid } = random.pick(model.list());
    const chosen = favourites.length > 0 && random.chance(0.5) ? random.pick(favourites) : pid;
    const names = random.chance(0.3) ? pickNames(chosen) : [];
    return {
      pid: chosen,
      names: names.length === 0 ? undefined : names,
      intervalMs: random.pick(intervalsMs()),
    };
  }

  function pickNames(pid: string): readonly string[] {
    const [version] = model.versionsBetween(pid, time.monotonicMs(), time.monotonicMs());
    const readable = [...(version?.channels ?? [])].filter(([, { channel }]) => channel.type !== 'WRITE');
    if (readable.length === 0) return [];
    const drawn = Array.from({ length: random.integer(1, 3) }, () => random.pick(readable)[0]);
    return [...new Set(drawn)];
  }

  function leave(): void {
    listening.leave();
    if (random.chance(0.5)) return;
    time.schedule(random.integer(100, SHORT_ABSENCE_MS), () => {
      if (!isGone && !listening.isOpen) begin();
    });
  }
}

interface LaggardParts extends ListeningParts {
  /** An asset that reports so much that nobody can be kept everything for long. */
  readonly pid: string;
}

const INTERVAL_MS = 1000;
const SETTLED_MS = 50_000;

/** Creates a client that reads nothing while much happens, and has to be told what it has missed. */
export function createLaggard(parts: LaggardParts): Person {
  const { time, random, client, pid } = parts;
  const listening = new Listening(parts);
  return createPerson(
    parts,
    async () => {
      listening.begin({ pid, names: undefined, intervalMs: INTERVAL_MS });
      await delay(time, SETTLED_MS);
      listening.lag(random.integer(20_000, 26_000));
      await delay(time, SETTLED_MS);
      listening.checkNewest();
      listening.leave();
    },
    () => client.close(),
  );
}

import type { SerialBus } from '../../network/serial-bus.ts';
import type { Random } from '../../world/random.ts';
import type { KeptFault, PlannedFault } from '../../world/truth.ts';
import { drawFaultTimes } from '../fault-times.ts';
import type { Instrument, InstrumentCondition } from './instrument.ts';

/** One instrument on its line, as its faults see it. */
export interface FaultyInstrument {
  readonly name: string;
  readonly instrument: Instrument;
  readonly bus: SerialBus;
}

interface SerialFaultKind {
  readonly text: string;
  readonly longestMs: number;
  readonly condition?: InstrumentCondition;
  readonly onStart?: (line: FaultyInstrument, durationMs: number) => void;
  readonly onEnd?: (line: FaultyInstrument) => void;
}

const SERIAL_FAULTS: Readonly<Record<string, SerialFaultKind>> = {
  silent: { text: 'says nothing', longestMs: 60_000, condition: 'SILENT' },
  restart: {
    text: 'starts anew with other values',
    longestMs: 8000,
    condition: 'SILENT',
    onEnd: ({ instrument }) => instrument.restart(),
  },
  late: { text: 'answers late', longestMs: 60_000, condition: 'LATE' },
  cut: { text: 'leaves out the end of its answers', longestMs: 30_000, condition: 'CUT' },
  garbled: { text: 'sends disturbed answers', longestMs: 30_000, condition: 'GARBLED' },
  foreign: { text: 'answers what was not asked for', longestMs: 30_000, condition: 'FOREIGN' },
  unconfirmed: { text: 'confirms nothing', longestMs: 60_000, condition: 'UNCONFIRMED' },
  refusing: { text: 'refuses everything', longestMs: 30_000, condition: 'REFUSING' },
  garbage: { text: 'sends meaningless bytes', longestMs: 30_000, condition: 'GARBAGE' },
  noise: {
    text: 'is on a line with noise',
    longestMs: 10_000,
    onStart: ({ bus, instrument }, durationMs) => {
      bus.disturb(durationMs);
      instrument.chatter();
    },
  },
  pulled: {
    text: 'has its adapter pulled',
    longestMs: 60_000,
    onStart: ({ bus }) => bus.setPlugged(false),
    onEnd: ({ bus }) => bus.setPlugged(true),
  },
};

/** Draws the faults of an instrument and its line until then. */
export function planSerialFaults(
  line: FaultyInstrument,
  random: Random,
  when: { readonly endMs: number; readonly meanMs: number; readonly kept: readonly KeptFault[] | undefined },
): readonly PlannedFault[] {
  return Object.entries(SERIAL_FAULTS).flatMap(([name, kind]) => {
    const { longestMs, text } = kind;
    const times = drawFaultTimes(random.branch(name), { ...when, prefix: `${line.name}.${name}`, longestMs });
    return times.map(({ id, startMs, endMs }) => ({
      id,
      kind: name,
      startMs,
      endMs,
      text: `${line.name} ${text}`,
      begin: () => begin(line, kind, endMs - startMs),
    }));
  });
}

function begin(line: FaultyInstrument, kind: SerialFaultKind, durationMs: number): () => void {
  const recover = line.instrument.health.begin();
  const endCondition = kind.condition === undefined ? undefined : line.instrument.begin(kind.condition);
  kind.onStart?.(line, durationMs);
  return () => {
    endCondition?.();
    kind.onEnd?.(line);
    recover();
  };
}

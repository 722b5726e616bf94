import type { RecordingHost } from '../../../daemon/compose/recording/recording-host.ts';
import type { Cursors } from '../../../daemon/plant/journal/cursors.ts';
import type { Journal } from '../../../daemon/plant/journal/journal.ts';
import type { PlantModel } from '../plant/plant-model.ts';
import type { Chronicle } from '../world/chronicle.ts';
import type { Life } from '../world/life.ts';
import type { KeptGateway } from '../world/kept-gateway.ts';
import type { SimulatedTime } from '../world/simulated-time.ts';
import type { Point } from '../world/truth.ts';
import { HistoryCheck } from './history-check.ts';
import { JournalConsumer } from './journal-consumer.ts';
import { JournalCheck } from './journal-check.ts';
import { RecordedSamples } from './recorded-samples.ts';
import { RecorderModel } from './recorder-model.ts';
import { CALM_RECORDING_LIMITS, RetentionRules, WORLD_RECORDING_LIMITS } from './retention-rules.ts';
import { SampleCheck } from './sample-check.ts';
import { SimulatedDisk } from './simulated-disk.ts';

interface WorldRecordingOptions {
  readonly time: SimulatedTime;
  readonly chronicle: Chronicle;
  readonly model: PlantModel;
  readonly life: () => Life;
  /** Milliseconds since which all has been well on the way to a point; undefined while it is not. */
  readonly calmMs: (pid: string, point: Point) => number | undefined;
  /** What the gateway has from an earlier world. */
  readonly past: KeptGateway | undefined;
}

/** The recording of the gateway, and everything that is known of it. */
export interface WorldRecording {
  readonly recorders: RecorderModel;
  readonly recorded: RecordedSamples;
  readonly disk: SimulatedDisk;
  readonly rules: RetentionRules;
  readonly history: HistoryCheck;
  readonly journal: JournalCheck;
  /** What a life of the gateway gets. */
  createHost(): RecordingHost;
  /** Ends with the process of the gateway. */
  cut(): void;
  /** Creates a consumer of the journal. */
  createConsumer(name: string): JournalConsumer;
  /** Compares what is new in the journal with what was taken, and looks for what is missing. */
  check(): Promise<void>;
}

// What is about to be deleted is still known.
const HALF_HOUR_MS = 1_800_000;

/** Creates what watches the recording of a gateway. */
export function createWorldRecording(options: WorldRecordingOptions): WorldRecording {
  const { time, chronicle, model, life, calmMs, past } = options;
  const nowMs = (): number => time.monotonicMs();
  const recorders = new RecorderModel();
  const limits = time.tempo.hasCalm ? CALM_RECORDING_LIMITS : WORLD_RECORDING_LIMITS;
  const keptMs = limits.maximumAgeMs + HALF_HOUR_MS;
  const recorded = new RecordedSamples(past === undefined ? undefined : time.epochMs(), keptMs);
  const disk = new SimulatedDisk(time);
  const samples = new SampleCheck({
    chronicle,
    nowMs,
    model,
    recorders,
    calmMs,
    roomSinceMs: () => disk.roomSinceMs,
  });
  const journal = new JournalCheck({
    chronicle,
    nowMs,
    recorders,
    recorded,
    killedMs: () => life().killsMs.at(-1) ?? -Infinity,
    hasRoom: () => disk.roomSinceMs !== undefined,
    onShown: (sample, atMs) => samples.noteShown(sample, atMs),
  });
  const rules = new RetentionRules(nowMs, life, limits);
  const consumers: JournalConsumer[] = [];
  let present: { readonly journal: Journal; readonly cursors: Cursors } | undefined;

  // Entries are numbered through all worlds.
  function checkPast(tail: number): void {
    const { journalEntry = 0 } = past ?? {};
    if (tail < journalEntry)
      chronicle.break('past-kept', `the journal ends with entry ${tail}, and had ${journalEntry}`);
  }

  return {
    recorders,
    recorded,
    disk,
    rules,
    history: new HistoryCheck(chronicle, recorded, rules),
    journal,
    createHost: () => ({
      measureDisk: disk.measure,
      limits,
      observe(opened, cursors) {
        if (present === undefined) checkPast(opened.tail);
        present = { journal: opened, cursors };
        for (const consumer of consumers) consumer.begin(present);
        journal.begin(opened, cursors);
        return {
          append(entries) {
            for (const { sample } of entries) if (sample !== undefined) samples.checkValue(sample);
            journal.note(entries, opened.batch);
            rules.note(opened);
            opened.append(entries);
          },
        };
      },
    }),
    cut() {
      journal.cut();
      if (present === undefined) return;
      // The process has died: what it waited for does not come, and its files are closed.
      for (const consumer of consumers) consumer.cut();
      present.journal.waitAfter = () => new Promise(() => undefined);
      void present.journal.close();
      present = undefined;
    },
    createConsumer(name) {
      const consumer = new JournalConsumer({ name, chronicle, nowMs, recorded, rules });
      consumers.push(consumer);
      return consumer;
    },
    async check() {
      await journal.look();
      samples.checkAll();
    },
  };
}

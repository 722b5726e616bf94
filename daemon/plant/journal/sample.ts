import type { QUALITIES } from '../../channel/quality.ts';
import type { ChannelValue, ValueType } from '../../channel/value-type.ts';

/** A channel with recorded samples. */
export interface Series {
  /** Pid of the asset. */
  readonly asset: string;
  readonly channel: string;
  readonly valueType: ValueType;
}

/** A value of a channel at one moment, or the reason that it had none. */
export interface Sample {
  readonly series: Series;
  /** Pids of the recorders that took it, never empty. */
  readonly recorders: readonly string[];
  /** In the shape of the value type; undefined for a sample of bad quality. */
  readonly value: ChannelValue | undefined;
  readonly quality: (typeof QUALITIES)[number];
  /** Status of the device, or the code of the failure. */
  readonly status?: string | undefined;
  /** Milliseconds since the epoch; the time of the device if it reports one. */
  readonly timestampMs: number;
  /** Milliseconds since the epoch at which the gateway took it. */
  readonly takenAtMs: number;
}

/** Reasons that samples are missing. */
export const GAP_REASONS = ['RETENTION', 'DISK', 'DAMAGED', 'STOPPED', 'DEVICE_LOST'] as const;

/** Samples that are missing, and why. */
export interface Gap {
  readonly reason: (typeof GAP_REASONS)[number];
  /** Pid of the asset; absent: all of them. */
  readonly asset?: string | undefined;
  /** Absent: all channels of the asset. */
  readonly channel?: string | undefined;
  /** Milliseconds since the epoch. */
  readonly fromMs: number;
  readonly toMs: number;
  /** Number of samples that were taken and are lost; 0 if none had been taken. */
  readonly count: number;
}

/** An entry of the journal: a sample, or a gap. */
export type JournalEntry =
  | { readonly sample: Sample; readonly gap?: undefined }
  | { readonly gap: Gap; readonly sample?: undefined };

/** An entry for the journal. Samples of several recorders with the same reading are one, as long as it is not on disk. */
export type AppendedEntry = JournalEntry & { readonly reading?: object | undefined };

/** An entry with its position: the first one of a journal has 1, and each one has the next. */
export type NumberedEntry = JournalEntry & { readonly sequence: number };

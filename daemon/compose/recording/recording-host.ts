import type { DiskSpace } from '../../base/file/disk-space.ts';
import type { Cursors } from '../../plant/journal/cursors.ts';
import type { Journal } from '../../plant/journal/journal.ts';

/** Limits of the recording on disk, also if the configuration permits more. */
export interface RecordingLimits {
  /** Size of a segment of the journal. */
  readonly segmentBytes: number;
  readonly journalBytes: number;
  readonly historyBytes: number;
  readonly maximumAgeMs: number;
}

/** Host services of the recording; the simulation injects its own. */
export interface RecordingHost {
  /** Measures the disk of a directory; default: its file system. */
  readonly measureDisk?: (directory: string) => Promise<DiskSpace>;
  /** Default: as documented. */
  readonly limits?: RecordingLimits;
  /** Called once the journal is open; returns the journal that recorders append to. Default: the journal itself. */
  readonly observe?: (journal: Journal, cursors: Cursors) => Pick<Journal, 'append'>;
}

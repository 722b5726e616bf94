import type { Cursor } from '../../daemon/plant/journal/cursors.ts';
import type { Journal } from '../../daemon/plant/journal/journal.ts';
import type { JournalRun } from '../../daemon/plant/journal/reading.ts';
import type { SampleColumns } from '../../daemon/plant/journal/sample-columns.ts';
import type { NumberedEntry, Sample } from '../../daemon/plant/journal/sample.ts';

/**
 * Reads the entries of a journal after a cursor, one by one.
 *
 * @param limit maximum number of entries, at least 1
 */
export async function readEntries(
  journal: Pick<Journal, 'readRuns'>,
  after: Pick<Cursor, 'sequence' | 'timeMs'>,
  limit: number,
): Promise<readonly NumberedEntry[]> {
  const { runs } = await journal.readRuns(after, limit);
  return runs.flatMap(listEntries).slice(0, limit);
}

function listEntries({ sequence, columns, gap }: JournalRun): readonly NumberedEntry[] {
  if (gap !== undefined) return [{ sequence, gap }];
  return listSamples(columns).map((sample, index) => ({ sequence: sequence + index, sample }));
}

/** Lists the samples of columns one by one. */
export function listSamples(columns: SampleColumns): readonly Sample[] {
  const { series, count, tags, values, timestampsMs, takenAtMs } = columns;
  return Array.from({ length: count }, (_, index) => {
    const [tag, timestampMs, takenMs] = [tags[index], timestampsMs[index], takenAtMs[index]];
    if (tag === undefined || timestampMs === undefined || takenMs === undefined)
      throw new RangeError(`there is no sample ${index}`);
    return { series, ...tag, value: values[index], timestampMs, takenAtMs: takenMs };
  });
}

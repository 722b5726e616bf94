import type { JSX } from 'preact';

import { fill } from '../../text/fill.ts';
import { formatBytes, formatCount, formatSpan } from '../../text/format.ts';
import { NORTH } from '../../text/north.ts';
import type { NamedReader } from './senders.ts';

interface ReaderTableProps {
  /** Accessible name of the table. */
  readonly label: string;
  /** Heading of the names. */
  readonly heading: string;
  readonly readers: readonly NamedReader[];
}

/** Readers of the journal, and how far each is behind. */
export function ReaderTable({ label, heading, readers }: ReaderTableProps): JSX.Element {
  return (
    <table class="readers stacked" aria-label={label}>
      <thead>
        <tr>
          <th scope="col">{heading}</th>
          <th scope="col" class="number">
            {fill(NORTH.behind)}
          </th>
          <th scope="col" class="number">
            {fill(NORTH.bytes)}
          </th>
          <th scope="col" class="number">
            {fill(NORTH.span)}
          </th>
        </tr>
      </thead>
      <tbody>
        {readers.map(({ name, position: { consumer, lagSamples, lagBytes, lagSeconds } }) => (
          <tr key={consumer}>
            <td>{name}</td>
            <td class="number values" data-title={fill(NORTH.behind)}>
              {lagSamples === 0 ? fill(NORTH.upToDate) : formatCount(lagSamples)}
            </td>
            <td class="number values" data-title={fill(NORTH.bytes)}>
              {lagSamples === 0 ? '–' : formatBytes(lagBytes)}
            </td>
            <td class="number values" data-title={fill(NORTH.span)}>
              {lagSamples === 0 ? '–' : formatSpan(lagSeconds * 1000)}
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

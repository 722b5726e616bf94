import type { JSX } from 'preact';

import { ownScans } from '../../live/own-scans.ts';
import { linkTo } from '../../parts/route.ts';
import { COMMISSION } from '../../text/commission.ts';
import { fill } from '../../text/fill.ts';
import { formatTime } from '../../text/format.ts';
import { describeScan } from './scan-words.ts';

/** Lists the scans that are not shown. */
export function OtherScans({ shown }: { readonly shown: string | undefined }): JSX.Element | undefined {
  const others = ownScans.value.filter(({ id }) => id !== shown);
  if (others.length === 0) return undefined;
  return (
    <section class="other-scans">
      <h2>{fill(COMMISSION.otherScans)}</h2>
      <ul>
        {others.map((scan) => (
          <li key={scan.id}>
            <span class="values">{formatTime(scan.startedAt)}</span>{' '}
            <a href={linkTo(['commission', 'connect'], { scan: scan.id })}>{scan.target}</a>{' '}
            {describeScan(scan)}
          </li>
        ))}
      </ul>
    </section>
  );
}

import type { AuditEvent } from '../../../interface/security/audit.ts';
import { linkTo } from '../../parts/route.ts';
import { fill } from '../../text/fill.ts';
import { RECORD } from '../../text/record.ts';

// `SUCCESS name value`, `FAILURE code name value`; a name has no space.
const WRITTEN = /^(?:SUCCESS|FAILURE \S+) (\S+) /;

/** Returns where the page shows what an event is about; undefined: nowhere. */
export function findPlace({
  detail = {},
}: Pick<AuditEvent, 'detail'>): { readonly link: string; readonly words: string } | undefined {
  const { asset, snapshot } = detail;
  if (asset !== undefined) {
    const pid = String(asset);
    const channel = detail['channels'] === 1 ? WRITTEN.exec(String(detail['channels[0]']))?.[1] : undefined;
    return channel === undefined
      ? { link: linkTo(['assets', pid]), words: pid }
      : { link: linkTo(['assets', pid], { filter: channel }), words: `${pid}/${channel}` };
  }
  if (snapshot === undefined) return undefined;
  const words = fill(RECORD.openSnapshot, { snapshot: Number(snapshot) });
  return { link: linkTo(['configuration', 'snapshots', String(snapshot)]), words };
}

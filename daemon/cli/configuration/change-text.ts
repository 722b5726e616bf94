import type { ChangePlan } from '../../interface/configuration/configuration.ts';
import { findPage, paint } from '../terminal/page.ts';
import type { Page, Tone } from '../terminal/page.ts';
import { toPrintable } from '../terminal/table.ts';

type Wording = readonly [add: string, change: string, remove: string, restart: string];

/** Describes the effects of a planned change. */
export function describePlanned(plan: ChangePlan, page: Page = findPage()): string {
  return describe(plan, ['adds', 'changes', 'removes', 'restarts'], page);
}

/** Describes the effects of a completed change and the active snapshot. */
export function describeMade(plan: ChangePlan, page: Page = findPage()): string {
  const wording = ['added', 'changed', 'removed', 'restarted'] as const;
  return `${describe(plan, wording, page)}snapshot ${plan.snapshot} is active\n`;
}

function describe(plan: ChangePlan, [add, change, remove, restart]: Wording, page: Page): string {
  const lines: (readonly [text: string, tone?: Tone])[] = [
    ...plan.added.map((item) => [`${add} ${nameItem(item)}`] as const),
    ...plan.changed.map((item) => [`${change} ${nameItem(item)}`] as const),
    ...plan.removed.map((item) => [`${remove} ${nameItem(item)}`] as const),
    ...(plan.changedTemplates ?? []).map(
      (name) => [`${change} template ${name}, because its file changed`] as const,
    ),
    ...plan.restartedConnections.map((pid) => [`${restart} the connection ${pid}`, 'DOUBTFUL'] as const),
    ...plan.cutsOff.map((lost) => [`clients lose access: ${lost}`, 'BAD'] as const),
    ...(plan.warnings ?? []).map((warning) => [`warning: ${warning}`, 'DOUBTFUL'] as const),
  ];
  if (lines.length === 0) return change === 'changes' ? 'nothing changes\n' : 'nothing changed\n';
  return lines.map(([text, tone]) => `${paint(toPrintable(text), tone, page)}\n`).join('');
}

const SINGULARS: Readonly<Record<string, string>> = {
  drivers: 'driver',
  assets: 'asset',
  recorders: 'recorder',
  bundles: 'settings of bundle',
  tokenIssuingServices: 'token issuing service',
  tokenVerificationServices: 'token verification service',
  identities: 'identity',
};

/** Formats an item: `drivers/plc` as `driver plc`, `rest/allowedPorts` as the key `rest.allowedPorts`. */
export function nameItem(item: string): string {
  const [, section = '', name = ''] = /^([^/]*)\/(.*)$/s.exec(item) ?? [];
  const singular = SINGULARS[section];
  return singular === undefined ? item.replace('/', '.') : `${singular} ${name}`;
}

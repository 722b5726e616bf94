import { setTimeout as wait } from 'node:timers/promises';

import { readOperation } from '../../interface/software/packages.ts';
import type { BundleGrants, PackageOperation } from '../../interface/software/packages.ts';
import type { Invocation } from '../client/client-commands.ts';
import type { RestResponse } from '../client/rest-client.ts';
import { formatPermissions } from '../identity/grant-text.ts';
import { formatLocalTime } from '../terminal/local-time.ts';
import { ProgressLine } from '../terminal/progress-line.ts';
import { formatTable, toPrintable } from '../terminal/table.ts';
import { CommandError } from '../command-error.ts';

const INTERVAL_MS = 500;

/**
 * Shows the outcome of an accepted operation; with `--no-wait`, only that it was accepted.
 *
 * @param accepted response of the gateway, with the location of the operation
 * @throws {CommandError} `OPERATION_FAILED` with code and message; `OPERATION_LEFT` on a stop signal; the
 *   operation continues
 */
export async function finishOperation(
  invocation: Invocation,
  accepted: Pick<RestResponse, 'headers'>,
): Promise<void> {
  const { client, options, show } = invocation;
  const id = String(accepted.headers.location).split('/').at(-1) ?? '';
  const operation =
    options['no-wait'] === true
      ? await client.call(readOperation, { id })
      : await followOperation(invocation, id);
  if (operation.state === 'FAILED') {
    const { name, errorCode, message = '' } = operation;
    const what = operation.operation === 'INSTALL' ? 'installed' : 'removed';
    const detail = `${name ?? 'the package'} was not ${what}: ${errorCode ?? ''} ${toPrintable(message)}`;
    throw new CommandError({ code: 'OPERATION_FAILED', detail });
  }
  show(operation, describeOutcome);
}

async function followOperation({ client, terminal }: Invocation, id: string): Promise<PackageOperation> {
  const line = new ProgressLine(terminal);
  try {
    for (;;) {
      const operation = await client.call(readOperation, { id });
      if (operation.state === 'COMPLETED' || operation.state === 'FAILED') return operation;
      line.show(`${operation.phase.toLowerCase()} ${operation.percent} %`);
      await wait(INTERVAL_MS, undefined, { signal: terminal.stopSignal });
    }
  } catch (cause) {
    if (!terminal.stopSignal.aborted) throw cause;
    const detail = `the operation continues; "penstock package status ${id}" shows its progress`;
    throw new CommandError({ code: 'OPERATION_LEFT', detail, cause });
  } finally {
    line.clear();
  }
}

function describeOutcome({
  id,
  operation,
  name,
  version,
  state,
  message,
  grants = [],
}: PackageOperation): string {
  if (state !== 'COMPLETED') return `accepted; "penstock package status ${id}" shows its progress\n`;
  const what = [name, version, operation === 'INSTALL' ? 'installed' : 'removed'].join(' ');
  const outcome = message === undefined ? `${what}\n` : `${what}; ${toPrintable(message)}\n`;
  return [outcome, ...grants.map(describeGrants)].join('');
}

function describeGrants({ bundle, ...granted }: BundleGrants): string {
  return toPrintable(`${bundle} may use: ${formatPermissions(granted)}`) + '\n';
}

/** Formats operations as a table. */
export function formatOperations(operations: readonly PackageOperation[]): string {
  const toTime = (epochMs: number | undefined): string | undefined =>
    epochMs === undefined ? undefined : formatLocalTime(epochMs);
  return formatTable<PackageOperation>(
    [
      { title: 'STARTED', show: ({ startedAt }) => toTime(startedAt) },
      { title: 'OPERATION', show: ({ operation }) => operation },
      { title: 'PACKAGE', show: ({ name, url }) => name ?? url },
      { title: 'VERSION', show: ({ version }) => version },
      { title: 'STATE', show: ({ state }) => state },
      { title: 'PERCENT', show: ({ percent }) => percent },
      { title: 'CODE', show: ({ errorCode }) => errorCode },
      { title: 'MESSAGE', show: ({ message }) => message ?? '' },
      { title: 'ID', show: ({ id }) => id },
    ],
    operations,
  );
}

import type { JSX } from 'preact';

import type { PackageOperation } from '../../../interface/software/packages.ts';
import { explainCause } from '../../parts/gateway-words.ts';
import { nameBundlePermission } from '../../parts/permission-words.ts';
import { RangeBar } from '../../parts/range-bar.tsx';
import { StateWord } from '../../parts/state-word.tsx';
import { fill } from '../../text/fill.ts';
import { formatSpan, formatTime } from '../../text/format.ts';
import { OPERATION_PHASES, OPERATIONS, SOFTWARE } from '../../text/software.ts';
import { isRunning } from './use-packages.ts';

/** Package operations, newest first, with progress and cause of failure. */
export function OperationTable({
  operations,
}: Readonly<{ operations: readonly PackageOperation[] }>): JSX.Element {
  if (operations.length === 0) return <p class="soft">{fill(SOFTWARE.noOperations)}</p>;
  return (
    <table class="operations">
      <thead>
        <tr>
          <th scope="col">{fill(SOFTWARE.time)}</th>
          <th scope="col">{fill(SOFTWARE.operation)}</th>
          <th scope="col">{fill(SOFTWARE.result)}</th>
        </tr>
      </thead>
      <tbody>
        {operations.map((operation) => (
          <OperationRow key={operation.id} operation={operation} />
        ))}
      </tbody>
    </table>
  );
}

function OperationRow({ operation }: { readonly operation: PackageOperation }): JSX.Element {
  const { startedAt, finishedAt, grants = [], message = '', errorCode, url } = operation;
  const times = startedAt === undefined || finishedAt === undefined ? undefined : finishedAt - startedAt;
  return (
    <tr>
      <td class="values">{startedAt === undefined ? '–' : formatTime(startedAt)}</td>
      <td>
        {fill(OPERATIONS[operation.operation])} {nameOf(operation)}
        {url === undefined ? undefined : <div class="code faint">{url}</div>}
        {grants.map(({ bundle, permissions }) => (
          <div class="faint" key={bundle}>
            {fill(SOFTWARE.may, { bundle, permissions: wordsOfPermissions(permissions) })}
          </div>
        ))}
      </td>
      <td>
        <OperationState operation={operation} />
        {message === '' ? undefined : (
          <div>
            {explainCause(errorCode?.toString(), message)}{' '}
            {errorCode === undefined ? undefined : fill(SOFTWARE.code, { code: errorCode })}
          </div>
        )}
        {times === undefined ? undefined : (
          <div class="faint">{fill(SOFTWARE.took, { span: formatSpan(times) })}</div>
        )}
      </td>
    </tr>
  );
}

function OperationState({ operation }: { readonly operation: PackageOperation }): JSX.Element {
  const { state, phase, percent } = operation;
  const words = { phase: fill(OPERATION_PHASES[phase]), percent };
  if (isRunning(operation)) {
    return (
      <div class="tools">
        <RangeBar
          label={fill(SOFTWARE.progress)}
          words={fill(SOFTWARE.runs, words)}
          minimum={0}
          maximum={100}
          value={percent}
        />
        <span role="status">{fill(SOFTWARE.runs, words)}</span>
      </div>
    );
  }
  if (state === 'COMPLETED') return <StateWord tone="good" words={fill(SOFTWARE.COMPLETED)} />;
  const isPhaseKnown = phase !== 'FINISHED';
  return (
    <StateWord tone="fault" words={fill(isPhaseKnown ? SOFTWARE.failedWhile : SOFTWARE.FAILED, words)} />
  );
}

function nameOf({ name, version, url }: PackageOperation): string {
  if (name === undefined) return url === undefined ? fill(SOFTWARE.unnamed) : '';
  return version === undefined ? name : `${name} ${version}`;
}

/** Returns the permissions of a bundle in words, each with its name. */
export function wordsOfPermissions(permissions: readonly string[]): string {
  return permissions.length === 0 ? fill(SOFTWARE.nothing) : permissions.map(nameBundlePermission).join(', ');
}

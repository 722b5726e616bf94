import type { SliceClock } from '../../../base/slices.ts';
import type { ChangeOutcome } from '../../../configuration/store/configuration-change.ts';
import type { DriftedPart } from '../../../configuration/provision/drift.ts';
import type { ProvisionDrift } from '../../../configuration/provision/provision-drift.ts';
import { okInSlices } from '../../http/answer.ts';
import { implement } from '../../http/implement.ts';
import type { Route } from '../../http/route.ts';
import type { Principal } from '../../../security/identity/identity.ts';
import { isPermitted } from '../../../security/identity/permission.ts';
import {
  MAXIMUM_DIFFERENCES,
  prune as pruneVanished,
  readDrift,
} from '../../../interface/configuration/drift.ts';
import type { ResultOf } from '../../../interface/endpoint.ts';
import { callerOf } from '../caller.ts';
import { changeConfiguration } from './configuration-change.ts';

/** Request to remove parts that no file names. */
export interface PruneRequest {
  readonly caller: Principal;
  /** Number of the snapshot that the client has read; undefined: the active one. */
  readonly basis: number | undefined;
  readonly isDryRun: boolean;
  readonly confirmWithinSeconds: number | undefined;
}

interface DriftRouteParts {
  readonly drift: Pick<ProvisionDrift, 'list'>;
  /** Removes what came from provision files which no longer name it. */
  readonly prune: (request: PruneRequest) => Promise<ChangeOutcome>;
  readonly clock: SliceClock;
}

/** Creates the endpoints that compare the configuration with the provision files. */
export function createDriftRoutes({ drift, prune, clock }: DriftRouteParts): readonly Route[] {
  return [
    implement(readDrift, async ({ principal }) => {
      // Who may not see identities learns no names of them here.
      const isForIdentities = principal !== undefined && isPermitted(principal.identity, 'rest.identity');
      const drifted = await drift.list();
      const shown = drifted.filter(({ part: [section] }) => section !== 'identities' || isForIdentities);
      return okInSlices({ drift: shown.map(toRecord) }, clock);
    }),
    implement(pruneVanished, (call) => {
      const caller = callerOf(call);
      const change = (
        { basis, isDryRun }: { basis: number | undefined; isDryRun: boolean },
        confirmWithinSeconds: number | undefined,
      ) => prune({ caller, basis, isDryRun, confirmWithinSeconds });
      return changeConfiguration({ change }, call, () => (document) => document);
    }),
  ];
}

function toRecord({
  part: [section, ...keys],
  state,
  source,
  differences,
}: DriftedPart): ResultOf<typeof readDrift>['drift'][number] {
  return {
    item: `${section}/${keys.join('.')}`,
    state,
    source: source ?? null,
    differences: differences.slice(0, MAXIMUM_DIFFERENCES),
    differenceCount: differences.length,
  };
}

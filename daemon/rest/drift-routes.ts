import { z } from '../base/schema.ts';
import type { ChangeOutcome } from '../configuration/configuration-store.ts';
import { DRIFT_STATES } from '../configuration/drift.ts';
import type { DriftedPart } from '../configuration/drift.ts';
import type { ProvisionDrift } from '../configuration/provision-drift.ts';
import { ok } from '../http/answer.ts';
import { defineRoute } from '../http/route.ts';
import type { Route } from '../http/route.ts';
import type { Principal } from '../identity/identity.ts';
import { isPermitted } from '../identity/permission.ts';
import { changePlan, changeQuery } from '../interface/configuration-change.ts';
import { changeConfiguration } from './configuration-change.ts';
import { CONFIGURATION_ROOT } from './configuration-routes.ts';

// An asset of thousands of channels that was replaced has as many differences.
const MOST_DIFFERENCES = 20;

const difference = z
  .strictObject({
    key: z.string(),
    file: z.unknown().optional().describe('As the file has it; absent: not at all'),
    inForce: z.unknown().optional().describe('As it is in force; absent: not at all'),
  })
  .meta({ id: 'DriftDifference' });

const driftedPart = z
  .strictObject({
    item: z.string().describe('As in plans of changes: drivers/line1, rest/allowedPorts, identities/scada'),
    state: z.enum(DRIFT_STATES),
    source: z.string().nullable().describe('The file that named it last; null: unknown'),
    differences: z.array(difference).describe(`The first ${MOST_DIFFERENCES}`),
    differenceCount: z.int(),
  })
  .meta({ id: 'DriftedPart' });

const driftList = z.strictObject({ drift: z.array(driftedPart) }).meta({ id: 'Drift' });

/** What is to be removed, and for whom. */
export interface PruneRequest {
  readonly caller: Principal;
  /** Number of the snapshot that the client has seen; undefined: the one in force. */
  readonly basis: number | undefined;
  readonly isDryRun: boolean;
  readonly confirmWithinSeconds: number | undefined;
}

interface DriftRouteParts {
  readonly drift: Pick<ProvisionDrift, 'list'>;
  /** Removes what came from provision files which no longer name it. */
  readonly prune: (request: PruneRequest) => Promise<ChangeOutcome>;
}

/** Creates the endpoints that compare the configuration with the provision files. */
export function createDriftRoutes({ drift, prune }: DriftRouteParts): readonly Route[] {
  return [
    defineRoute({
      method: 'GET',
      path: `${CONFIGURATION_ROOT}/drift`,
      summary: 'Compares the configuration with the provision files',
      access: 'rest.configuration',
      response: { status: 200, schema: driftList },
      handle({ principal }) {
        // Who may not see identities learns no names of them here.
        const isForIdentities = principal !== undefined && isPermitted(principal.identity, 'rest.identity');
        const shown = drift
          .list()
          .filter(({ part: [section] }) => section !== 'identities' || isForIdentities);
        return ok({ drift: shown.map(toRecord) });
      },
    }),
    defineRoute({
      method: 'POST',
      path: `${CONFIGURATION_ROOT}/_prune`,
      summary: 'Removes what came from a provision file that no longer names it',
      access: 'rest.configuration',
      query: changeQuery,
      condition: 'NEEDED',
      refusals: [409],
      response: { status: 200, schema: changePlan },
      handle(context) {
        const { principal: caller } = context;
        if (caller === undefined)
          throw new Error('an endpoint with a permission was called without an identity');
        const change = (
          { basis, isDryRun }: { basis: number | undefined; isDryRun: boolean },
          confirmWithinSeconds: number | undefined,
        ) => prune({ caller, basis, isDryRun, confirmWithinSeconds });
        return changeConfiguration({ change }, context, () => (document) => document);
      },
    }),
  ];
}

function toRecord({
  part: [section, ...keys],
  state,
  source,
  differences,
}: DriftedPart): z.infer<typeof driftedPart> {
  return {
    item: `${section}/${keys.join('.')}`,
    state,
    source: source ?? null,
    differences: differences.slice(0, MOST_DIFFERENCES),
    differenceCount: differences.length,
  };
}

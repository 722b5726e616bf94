// The interface `inventory/v1` of Eclipse Kura: what is installed on the machine.
import { z } from '../../base/schema.ts';
import { endpoint, jsonBody } from '../endpoint.ts';

const ROOT = '/services/inventory/v1';
const MAXIMUM_BYTES = 65_536;
const STATES = ['INSTALLED', 'RESOLVED', 'STARTING', 'STOPPING', 'ACTIVE'] as const;

const bundle = z
  .strictObject({
    name: z.string(),
    version: z.string(),
    id: z.int().describe('Position in the list, from 1'),
    state: z.enum(STATES).describe('RESOLVED also for a bundle that should run and has failed'),
    signed: z.boolean(),
  })
  .meta({ id: 'KuraBundle' });
const item = z
  .strictObject({ name: z.string(), version: z.string(), type: z.enum(['BUNDLE', 'DP', 'DEB']) })
  .meta({ id: 'KuraInventoryItem' });
const inventory = z.strictObject({ inventory: z.array(item) }).meta({ id: 'KuraInventory' });
const bundles = z.strictObject({ bundles: z.array(bundle) }).meta({ id: 'KuraBundles' });
const deploymentPackage = z
  .strictObject({ name: z.string(), version: z.string(), bundles: z.array(bundle), signed: z.boolean() })
  .meta({ id: 'KuraDeploymentPackage' });
const deploymentPackages = z
  .strictObject({ deploymentPackages: z.array(deploymentPackage) })
  .meta({ id: 'KuraDeploymentPackages' });
const systemPackage = z
  .strictObject({ name: z.string(), version: z.string(), type: z.enum(['DEB']) })
  .meta({ id: 'KuraSystemPackage' });
const systemPackages = z
  .strictObject({ systemPackages: z.array(systemPackage) })
  .meta({ id: 'KuraSystemPackages' });
const bundleRequest = z
  .looseObject({ name: z.string().min(1), version: z.string().optional() })
  .meta({ id: 'KuraBundleRequest' });

const common = { access: 'rest.inventory', isOfSpecification: true } as const;
const list = { ...common, method: 'GET', isStatus: true, isCompressible: true } as const;

/** Lists bundles, packages and Debian packages. */
export const listInventory = endpoint({
  ...list,
  path: `${ROOT}/inventory`,
  summary: 'Lists bundles, deployment packages and Debian packages, by name',
  response: { status: 200, schema: inventory },
});

/** Lists bundles. */
export const listKuraBundles = endpoint({
  ...list,
  path: `${ROOT}/bundles`,
  summary: 'Lists the bundles of the installed packages',
  response: { status: 200, schema: bundles },
});

/** Lists deployment packages. */
export const listKuraPackages = endpoint({
  ...list,
  path: `${ROOT}/deploymentPackages`,
  summary: 'Lists the installed packages with their bundles',
  response: { status: 200, schema: deploymentPackages },
});

/** Lists Debian packages. */
export const listSystemPackages = endpoint({
  ...list,
  path: `${ROOT}/systemPackages`,
  summary: 'Lists the Debian packages of the machine',
  response: { status: 200, schema: systemPackages },
});

const change = {
  ...common,
  method: 'POST',
  audit: 'BUNDLE_RESTARTED',
  refusals: [409],
  request: jsonBody(bundleRequest, MAXIMUM_BYTES),
  response: { status: 200 },
} as const;

/** Starts a bundle. */
export const startKuraBundle = endpoint({
  ...change,
  path: `${ROOT}/bundles/_start`,
  summary: 'Starts a bundle; the first of the name without a version',
});

/** Stops a bundle until it is started again, or until the gateway starts. */
export const stopKuraBundle = endpoint({
  ...change,
  path: `${ROOT}/bundles/_stop`,
  summary: 'Stops a bundle until it is started again, or the gateway is',
});

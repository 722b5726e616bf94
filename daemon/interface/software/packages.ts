import { z } from '../../base/schema.ts';
import { BUNDLE_STATES } from './bundle.ts';
import { endpoint, jsonBody } from '../endpoint.ts';
import type { Shape } from '../endpoint.ts';
import { OPERATION_PHASES, OPERATION_STATES } from './package-operation.ts';

const PERMISSION = 'rest.deploy';
const MAXIMUM_BYTES = 65_536;

const packageUrl = z.string().min(1, 'expected a URL');
const installRequest = z.object({ url: packageUrl }).meta({ id: 'InstallRequest' });
const descriptorRequest = z.object({ url: packageUrl }).meta({ id: 'PackageDescriptorRequest' });
const packagedBundle = z
  .strictObject({ name: z.string(), version: z.string(), state: z.enum(BUNDLE_STATES) })
  .meta({ id: 'PackagedBundle' });
const listedPackage = z
  .strictObject({
    name: z.string(),
    version: z.string(),
    bundles: z.array(packagedBundle),
  })
  .meta({ id: 'InstalledPackage' });
const bundleGrants = z
  .strictObject({
    bundle: z.string(),
    permissions: z.array(z.string()),
    identities: z.string().optional(),
    memoryMib: z.int().optional(),
  })
  .meta({ id: 'BundleGrants' });
const operationRecord = z
  .strictObject({
    id: z.string(),
    operation: z.enum(['INSTALL', 'UNINSTALL']),
    url: z.string().optional(),
    name: z.string().optional(),
    version: z.string().optional(),
    /** Permissions of the package's bundles; absent: none, or not yet known. */
    grants: z.array(bundleGrants).optional(),
    state: z.enum(OPERATION_STATES),
    phase: z.enum(OPERATION_PHASES),
    percent: z.int(),
    errorCode: z.int().optional(),
    message: z.string().optional(),
    startedAt: z.int().optional(),
    finishedAt: z.int().optional(),
  })
  .meta({ id: 'PackageOperation' });
const uploadForm = z.unknown().meta({
  type: 'object',
  properties: { file: { type: 'string', format: 'binary' } },
  required: ['file'],
});
const descriptor = z
  .strictObject({
    nodeId: z.string(),
    url: z.string(),
    dpUrl: z.string(),
    minServiceVersion: z.string(),
    maxServiceVersion: z.string(),
    currentServiceVersion: z.string(),
    isCompatible: z.boolean(),
  })
  .meta({ id: 'PackageDescriptor' });

export type InstalledPackage = Shape<typeof listedPackage>;
export type PackageOperation = Shape<typeof operationRecord>;
export type BundleGrants = Shape<typeof bundleGrants>;

/** Lists packages. */
export const listPackages = endpoint({
  method: 'GET',
  path: '/services/deploy/v2',
  isOfSpecification: true,
  summary: 'Lists the installed packages with their bundles',
  access: PERMISSION,
  isStatus: true,
  isCompressible: true,
  response: { status: 200, schema: z.array(listedPackage) },
});

/** Lists package operations. */
export const listOperations = endpoint({
  method: 'GET',
  path: '/services/deploy/v2/_status',
  summary: 'Lists recent package operations, newest first',
  access: PERMISSION,
  isStatus: true,
  response: { status: 200, schema: z.array(operationRecord) },
});

/** Shows one package operation. */
export const readOperation = endpoint({
  method: 'GET',
  path: '/services/deploy/v2/_status/:id',
  summary: 'Shows one package operation',
  access: PERMISSION,
  isStatus: true,
  response: { status: 200, schema: operationRecord },
});

/** Returns the description of a marketplace package. */
export const describePackage = endpoint({
  method: 'PUT',
  path: '/services/deploy/v2/_packageDescriptor',
  isOfSpecification: true,
  summary: 'Returns the description of a marketplace package',
  access: PERMISSION,
  request: jsonBody(descriptorRequest, MAXIMUM_BYTES),
  refusals: [502, 504],
  response: { status: 200, schema: descriptor },
});

/** Installs a package from a URL. */
export const installPackage = endpoint({
  method: 'POST',
  path: '/services/deploy/v2/_install',
  isOfSpecification: true,
  summary: 'Installs a package from a URL',
  access: PERMISSION,
  isKeyed: true,
  request: jsonBody(installRequest, MAXIMUM_BYTES),
  response: { status: 200, schema: z.enum(['REQUEST_RECEIVED', 'INSTALLING']) },
});

/** Installs an uploaded package. */
export const uploadPackage = endpoint({
  method: 'POST',
  path: '/services/deploy/v2/_upload',
  isOfSpecification: true,
  summary: 'Installs the package uploaded in the form field "file"',
  access: PERMISSION,
  request: { contentType: 'multipart/form-data', schema: uploadForm },
  isKeyed: true,
  refusals: [408, 507],
  response: { status: 200, schema: z.enum(['REQUEST_RECEIVED', 'INSTALLING']) },
});

/** Uninstalls a package. */
export const uninstallPackage = endpoint({
  method: 'DELETE',
  path: '/services/deploy/v2/:name',
  isOfSpecification: true,
  summary: 'Uninstalls a package',
  access: PERMISSION,
  isKeyed: true,
  response: { status: 200, schema: z.enum(['REQUEST_RECEIVED', 'UNINSTALLING']) },
});

// The interface `system/v1` of Eclipse Kura: properties of the machine and of the product, read-only.
import { z } from '../../base/schema.ts';
import { endpoint, jsonBody } from '../endpoint.ts';

const ROOT = '/services/system/v1/properties';
const MAXIMUM_BYTES = 65_536;
const MAXIMUM_NAMES = 256;

const names = z
  .looseObject({ names: z.array(z.string()).max(MAXIMUM_NAMES).optional() })
  .meta({ id: 'KuraPropertyNames' });
const groupNames = z
  .looseObject({ groupNames: z.array(z.string()).max(MAXIMUM_NAMES).optional() })
  .meta({ id: 'KuraPropertyGroups' });
const frameworkProperties = z
  .record(z.string(), z.union([z.string(), z.int(), z.boolean()]))
  .meta({ id: 'KuraFrameworkProperties' });
const kuraProperties = z
  .strictObject({ kuraProperties: z.record(z.string(), z.string()) })
  .meta({ id: 'KuraProperties' });
const extendedProperties = z
  .strictObject({
    version: z.string().optional(),
    extendedProperties: z.record(z.string(), z.record(z.string(), z.string())).optional(),
  })
  .meta({ id: 'KuraExtendedProperties' });

const common = { access: 'rest.system', isOfSpecification: true } as const;

/** Lists properties of the machine and its runtime. */
export const readFrameworkProperties = endpoint({
  ...common,
  method: 'GET',
  path: `${ROOT}/framework`,
  summary: 'Lists properties of the machine and its runtime',
  isStatus: true,
  isCompressible: true,
  response: { status: 200, schema: frameworkProperties },
});

/** Lists properties of the product by their names in Kura. */
export const readKuraProperties = endpoint({
  ...common,
  method: 'GET',
  path: `${ROOT}/kura`,
  summary: 'Lists properties of the product by their names in Kura',
  isStatus: true,
  isCompressible: true,
  response: { status: 200, schema: kuraProperties },
});

/** Returns an empty object: there are no extended properties. */
export const readExtendedProperties = endpoint({
  ...common,
  method: 'GET',
  path: `${ROOT}/extended`,
  summary: 'Lists extended properties; there are none',
  isStatus: true,
  isCompressible: true,
  response: { status: 200, schema: extendedProperties },
});

/** Lists the named properties of the machine and its runtime. */
export const filterFrameworkProperties = endpoint({
  ...common,
  method: 'POST',
  path: `${ROOT}/framework/filter`,
  summary: 'Lists the named properties of the machine and its runtime',
  request: jsonBody(names, MAXIMUM_BYTES),
  response: { status: 200, schema: frameworkProperties },
});

/** Lists the named properties of the product. */
export const filterKuraProperties = endpoint({
  ...common,
  method: 'POST',
  path: `${ROOT}/kura/filter`,
  summary: 'Lists the named properties of the product',
  request: jsonBody(names, MAXIMUM_BYTES),
  response: { status: 200, schema: kuraProperties },
});

/** Returns an empty object: there are no extended properties. */
export const filterExtendedProperties = endpoint({
  ...common,
  method: 'POST',
  path: `${ROOT}/extended/filter`,
  summary: 'Lists the named groups of extended properties; there are none',
  request: jsonBody(groupNames, MAXIMUM_BYTES),
  response: { status: 200, schema: extendedProperties },
});

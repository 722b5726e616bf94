import type { FuzzTarget } from './fuzz-target.ts';
import { CERTIFICATES } from './targets/certificates.ts';
import { DEVICE_BYTES } from './targets/device-bytes.ts';
import { DOCUMENTS } from './targets/documents.ts';
import { IMPORTS } from './targets/imports.ts';
import { PACKAGES } from './targets/packages.ts';
import { SPARKPLUG } from './targets/sparkplug.ts';
import { REQUESTS } from './targets/requests.ts';

/** All code that eats bytes of others. */
export const TARGETS: readonly FuzzTarget[] = [
  ...DEVICE_BYTES,
  ...PACKAGES,
  ...SPARKPLUG,
  ...CERTIFICATES,
  ...DOCUMENTS,
  ...IMPORTS,
  ...REQUESTS,
];

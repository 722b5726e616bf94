import { ACCESS_DEFECTS } from './access-defects.ts';
import { ASSET_DEFECTS } from './asset-defects.ts';
import { DRIVER_DEFECTS } from './driver-defects.ts';
import { MODBUS_DEFECTS } from './modbus-defects.ts';
import { PACE_DEFECTS } from './pace-defects.ts';
import { PACKAGE_DEFECTS } from './package-defects.ts';
import type { PlantedDefect } from './planted-defect.ts';
import { RECORDING_DEFECTS } from './recording-defects.ts';
import { RUN_DEFECTS } from './run-defects.ts';

/** Every defect that a simulated world has to see, one at a time. */
export const PLANTED_DEFECTS: readonly PlantedDefect[] = [
  ...MODBUS_DEFECTS,
  ...ASSET_DEFECTS,
  ...DRIVER_DEFECTS,
  ...ACCESS_DEFECTS,
  ...PACE_DEFECTS,
  ...PACKAGE_DEFECTS,
  ...RUN_DEFECTS,
  ...RECORDING_DEFECTS,
];

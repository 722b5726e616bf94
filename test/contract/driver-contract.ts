import { openDriverSuite } from './driver-bench.ts';
import type { DriverBench } from './driver-bench.ts';
import { testLink } from './driver-link-contract.ts';
import { testReads } from './driver-read-contract.ts';
import { testSubscriptions } from './driver-subscription-contract.ts';
import { testWrites } from './driver-write-contract.ts';
import { everyTest } from '../support/tests-that-need.ts';
import type { Tests } from '../support/tests-that-need.ts';

/**
 * Tests what every driver must do, whatever its protocol.
 *
 * @param createBench starts the device; called once
 * @param tests skip where the device cannot be started
 */
export function testDriver<Address>(
  kind: string,
  createBench: () => Promise<DriverBench<Address>>,
  tests: Tests = everyTest,
): void {
  const suite = openDriverSuite(kind, createBench, tests);
  testLink(suite);
  testReads(suite);
  testWrites(suite);
  testSubscriptions(suite);
}

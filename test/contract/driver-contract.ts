import { openDriverSuite } from './driver-bench.ts';
import type { DriverBench } from './driver-bench.ts';
import { testLink } from './driver-link-contract.ts';
import { testReads } from './driver-read-contract.ts';
import { testSubscriptions } from './driver-subscription-contract.ts';
import { testWrites } from './driver-write-contract.ts';

/**
 * What every driver has to do, whatever it speaks.
 *
 * @param createBench starts the device; called once
 */
export function testDriver<Address>(kind: string, createBench: () => Promise<DriverBench<Address>>): void {
  const suite = openDriverSuite(kind, createBench);
  testLink(suite);
  testReads(suite);
  testWrites(suite);
  testSubscriptions(suite);
}

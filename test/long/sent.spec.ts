import { testArchive } from './archive/archive-test'

// After a kill, records sent since the last write are sent again; the archive ignores rows with a known key.
testArchive(
  'stores each record and alert once, and alerts in order, despite faults of the service, deploys and kills',
  'sent',
  ['silence', 'outage', 'deploy', 'kill'],
)

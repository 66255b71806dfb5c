import { testArchive } from './archive/archive-test'
import { disruptionKinds } from './archive/disruptions'

testArchive(
  'loses nothing with receipts despite faults of the archive, and deploys and kills at any time',
  'acknowledged',
  disruptionKinds,
)

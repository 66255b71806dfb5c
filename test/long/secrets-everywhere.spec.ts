/** The same as in `npm test`, many more times. */
import '../faults/secrets-everywhere.spec'

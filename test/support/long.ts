/** Loaded first by `npm run test:long`: other chance each time, and many more runs. */
process.env.LONG = '1'

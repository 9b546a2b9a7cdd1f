from sizing.serve import main

main()

. support/lib.sh
programs threads

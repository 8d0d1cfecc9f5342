. support/lib.sh
programs system

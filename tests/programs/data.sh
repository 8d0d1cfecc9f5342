. support/lib.sh
programs data
